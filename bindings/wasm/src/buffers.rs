//! Answers: which bytes of the memory belong to the host?
//!
//! A buffer is known by its address. The host fills those that it asked for, and reads those that it is given; nobody else writes to
//! them in between.
//!
//! Invariant: an address that is not that of a buffer is never followed, and a buffer never moves.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Every buffer, by its address.
static BUFFERS: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::new(BTreeMap::new());

fn buffers() -> MutexGuard<'static, BTreeMap<usize, Vec<u8>>> {
    BUFFERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a buffer of `length` bytes and returns its address; 0 where there is no memory for it.
pub fn allocate(length: usize) -> usize {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(length.max(1)).is_err() {
        return 0;
    }
    bytes.resize(length, 0);
    keep(bytes)
}

/// Makes a buffer that holds `text` and returns its address.
pub fn with_text(text: String) -> usize {
    let mut bytes = text.into_bytes();
    // An empty one has an address of its own too.
    bytes.reserve_exact(1);
    keep(bytes)
}

fn keep(mut bytes: Vec<u8>) -> usize {
    let address = bytes.as_mut_ptr().expose_provenance();
    buffers().insert(address, bytes);
    address
}

/// Returns how many bytes a buffer has; 0 where there is none at `address`.
pub fn length(address: usize) -> usize {
    buffers().get(&address).map_or(0, Vec::len)
}

/// Gives the memory of a buffer back; nothing happens where there is none at `address`.
pub fn free(address: usize) {
    drop(taken(address));
}

/// Takes a buffer with what the host wrote into it.
pub fn taken(address: usize) -> Option<Vec<u8>> {
    buffers().remove(&address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_there_until_it_is_taken() {
        let (first, second, empty) = (allocate(3), with_text("ab".to_owned()), allocate(0));
        assert_eq!([first, second, empty].map(length), [3, 2, 0]);
        assert!(first != second && first != empty && second != empty && ![first, second, empty].contains(&0));
        assert_eq!(taken(first), Some(vec![0, 0, 0]));
        assert_eq!((taken(first), length(first)), (None, 0));
        free(second);
        free(second);
        assert_eq!((taken(second), taken(empty)), (None, Some(Vec::new())));
    }

    #[test]
    fn where_there_is_no_memory_there_is_no_buffer() {
        assert_eq!(allocate(usize::MAX), 0);
        assert_eq!(length(0), 0);
        free(0);
    }
}
