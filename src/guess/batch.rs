//! Several jobs at once, with the same outcome whatever the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Jobs of one batch, at most, and at least where there are so many. (Not the number of threads:
/// what is done would depend on it.)
pub(super) const MOST: usize = 8;
pub(super) const LEAST: usize = 2;

/// Does the jobs, those in front first, by so many threads; the results in the order of the jobs, up
/// to the first that is the `last`: what comes after it was not needed.
pub(super) fn side_by_side<J: Send, R: Send>(
    threads: usize,
    jobs: Vec<J>,
    work: impl Fn(J) -> R + Sync,
    last: impl Fn(&R) -> bool + Sync,
) -> Vec<R> {
    let helpers = threads.min(jobs.len()).saturating_sub(1);
    let (queue, end) = (Mutex::new(jobs.into_iter().enumerate()), AtomicUsize::new(usize::MAX));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        let mut done = Vec::new();
        while let Some((i, job)) = next().filter(|&(i, _)| i < end.load(Ordering::Relaxed)) {
            let result = work(job);
            if last(&result) {
                end.fetch_min(i, Ordering::Relaxed);
            }
            done.push((i, result));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (0..helpers).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        for thread in others {
            done.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    let end = end.load(Ordering::Relaxed);
    done.sort_by_key(|&(i, _)| i);
    done.into_iter().take_while(|&(i, _)| i <= end).map(|(_, result)| result).collect()
}

/// How many of the next jobs, each with what it may cost, make a batch for so much work.
pub(super) fn batch(costs: impl Iterator<Item = u64>, work: u64) -> usize {
    let mut sum = 0;
    let fits = |&(i, cost): &(usize, u64)| {
        sum += cost;
        i < LEAST || sum <= work
    };
    costs.take(MOST).enumerate().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_does_not_depend_on_the_threads() {
        for threads in [1, 2, 3, 8] {
            let jobs: Vec<u32> = (0..20).collect();
            let squares = side_by_side(threads, jobs.clone(), |n| n * n, |_| false);
            assert_eq!(squares, jobs.iter().map(|n| n * n).collect::<Vec<_>>());
            let slow_first = |n: u32| {
                std::thread::sleep(std::time::Duration::from_micros(u64::from(20 - n) * 50));
                n
            };
            let until = side_by_side(threads, jobs, slow_first, |&n| n == 5 || n == 7);
            assert_eq!(until, [0, 1, 2, 3, 4, 5]);
        }
    }

    #[test]
    fn a_batch_is_as_large_as_its_work() {
        assert_eq!(batch([4, 4, 4, 4].into_iter(), 12), 3);
        assert_eq!(batch([100, 100, 100].into_iter(), 12), LEAST);
        assert_eq!(batch([1; 100].into_iter(), 1_000), MOST);
        assert_eq!(batch([7].into_iter(), 0), 1);
        assert_eq!(batch(std::iter::empty(), 5), 0);
    }
}
