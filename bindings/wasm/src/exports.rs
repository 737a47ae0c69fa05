//! Answers: what does the host call?
//!
//! Addresses and lengths are 32 bits wide in the module. A request is a buffer that the host allocated and filled; the call takes it.
//! An answer is a buffer that the host frees.
//!
//! Invariant: a call that does not return (a trap) leaves what it said for `reversion_failure`; after that only buffers and this may be called.

#![expect(unsafe_code, reason = "an export is found by its name, and only an unsafe attribute keeps that")]

use std::panic;
use std::sync::{Mutex, Once};

use crate::call::answer;
use crate::{buffers, canonical, convert, infer, packs};

/// The version of what this file exports; it grows when a host has to change.
pub const ABI_VERSION: u32 = 1;

/// What the module said when a call did not return.
static FAILURE: Mutex<String> = Mutex::new(String::new());

/// Lets a call that does not return say why.
fn keep_failures() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|failure| {
            if let Ok(mut last) = FAILURE.try_lock() {
                *last = failure.to_string();
            }
        }));
    });
}

/// Returns [`ABI_VERSION`].
#[unsafe(no_mangle)]
pub extern "C" fn reversion_abi_version() -> u32 {
    ABI_VERSION
}

/// Makes a buffer of `length` bytes and returns its address; 0 where there is no memory for it.
#[unsafe(no_mangle)]
pub extern "C" fn reversion_allocate(length: usize) -> usize {
    keep_failures();
    buffers::allocate(length)
}

/// Returns how many bytes the buffer at `address` has.
#[unsafe(no_mangle)]
pub extern "C" fn reversion_length(address: usize) -> usize {
    buffers::length(address)
}

/// Gives the memory of the buffer at `address` back.
#[unsafe(no_mangle)]
pub extern "C" fn reversion_free(address: usize) {
    buffers::free(address);
}

/// Converts one object to a newer release: a [`canonical::CanonicalRequest`], and a [`canonical::Canonical`].
#[unsafe(no_mangle)]
pub extern "C" fn reversion_canonical(request: usize) -> usize {
    buffers::with_text(answer(buffers::taken(request).as_deref(), canonical::canonical))
}

/// Converts the objects of a text: a [`convert::ConvertRequest`], and a [`convert::Converted`].
#[unsafe(no_mangle)]
pub extern "C" fn reversion_convert(request: usize) -> usize {
    buffers::with_text(answer(buffers::taken(request).as_deref(), |request| convert::convert(&request)))
}

/// Tells which releases the objects of a text can be for: an [`infer::InferRequest`], and [`infer::Inferred`].
#[unsafe(no_mangle)]
pub extern "C" fn reversion_infer(request: usize) -> usize {
    buffers::with_text(answer(buffers::taken(request).as_deref(), |request| Ok(infer::infer(&request))))
}

/// Lists the packs: a [`crate::call::NoRequest`], and [`packs::Listed`].
#[unsafe(no_mangle)]
pub extern "C" fn reversion_packs(request: usize) -> usize {
    buffers::with_text(answer(buffers::taken(request).as_deref(), |request| Ok(packs::list(request))))
}

/// Adds packs to those of the module, before they are used: a [`packs::UsePacksRequest`], and [`packs::Listed`].
#[unsafe(no_mangle)]
pub extern "C" fn reversion_use_packs(request: usize) -> usize {
    buffers::with_text(answer(buffers::taken(request).as_deref(), packs::use_packs))
}

/// Returns a buffer with what the module said when a call did not return.
#[unsafe(no_mangle)]
pub extern "C" fn reversion_failure() -> usize {
    buffers::with_text(FAILURE.try_lock().map_or_else(|_| String::new(), |last| last.clone()))
}
