//! How are groups and templates planned by several threads?
//!
//! Invariant: the result does not depend on the number of threads.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// From how many of them on several threads plan them.
const MANY_ITEMS: usize = 16;

/// How many a thread takes at once.
const ITEMS_AT_ONCE: usize = 8;

/// Plans, each with the number of what it is for.
pub(super) type Numbered<P> = Vec<(usize, P)>;

/// Plans `items`, by several threads where there are many, and returns the plans in the order of their numbers; 0 threads are as many as
/// there are processors.
pub(super) fn in_parallel<T: Sync, P: Send, E: Send>(
    items: &[T],
    threads: usize,
    plan: &(dyn Fn(&T) -> Result<Numbered<P>, E> + Sync),
) -> Result<Numbered<P>, E> {
    let processors = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if threads == 0 { processors() } else { threads };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut planned = Vec::new();
        loop {
            let first = next.fetch_add(ITEMS_AT_ONCE, Ordering::Relaxed);
            let Some(some) = items.get(first..items.len().min(first + ITEMS_AT_ONCE)) else { return Ok(planned) };
            if some.is_empty() {
                return Ok(planned);
            }
            for item in some {
                planned.extend(plan(item)?);
            }
        }
    };
    let mut planned = if items.len() < MANY_ITEMS || threads == 1 {
        work()?
    } else {
        let parts = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let results = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            results.collect::<Result<Vec<_>, E>>()
        });
        parts?.into_iter().flatten().collect()
    };
    planned.sort_by_key(|(number, _)| *number);
    Ok(planned)
}
