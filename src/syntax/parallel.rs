//! Answers: what does a function make of each of many numbers, on several threads?
//!
//! Invariant: the results do not depend on the number of threads.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

/// Makes something of each number below `count`, and returns it in their order.
///
/// A thread takes `at_once` numbers; for less than twice as many there is one thread. 0 `threads` are as many as there are processors.
pub fn map<P: Send>(count: usize, at_once: usize, threads: usize, make: &(dyn Fn(usize) -> P + Sync)) -> Vec<P> {
    if threads == 1 || count < 2 * at_once {
        return (0..count).map(make).collect();
    }
    let processors = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if threads == 0 { processors() } else { threads };
    let mut made: Vec<Option<P>> = (0..count).map(|_| None).collect();
    let parts = Mutex::new((0..).step_by(at_once).zip(made.chunks_mut(at_once)));
    let work = || {
        loop {
            let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((first, part)) = next else { return };
            part.iter_mut().zip(first..).for_each(|(made, number)| *made = Some(make(number)));
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    made.into_iter().map(|made| made.expect("every part was taken")).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread::current;

    use super::*;

    #[test]
    fn the_results_are_in_order_for_any_number_of_threads() {
        for (count, at_once) in [(0, 1), (1, 1), (7, 8), (16, 8), (17, 8), (100, 3)] {
            let expected: Vec<usize> = (0..count).map(|number| number * number).collect();
            for threads in [0, 1, 2, 5] {
                assert_eq!(map(count, at_once, threads, &|number| number * number), expected);
            }
        }
    }

    #[test]
    fn several_threads_work_where_there_is_enough() {
        let is_here = |_| current().id();
        for (count, threads) in [(7, 2), (8, 1)] {
            assert_eq!(map(count, 4, threads, &is_here), vec![current().id(); count]);
        }
        // Each of the two parts waits for the other: one thread alone would never end.
        let both = Barrier::new(2);
        let waiting = |number| {
            if number % 4 == 0 {
                both.wait();
            }
            current().id()
        };
        let [first, .., last] = map(8, 4, 2, &waiting)[..] else { unreachable!("there are eight") };
        assert_ne!(first, last);
    }
}
