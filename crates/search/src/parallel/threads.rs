//! Runs a function on several threads.

/// Calls `work` for all items at the same time, the first on this thread. A panic in any of them is
/// resumed here.
pub(super) fn run_on_threads<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    std::thread::scope(|scope| {
        let mut items = items.into_iter();
        let first = items.next();
        let others: Vec<_> = items.map(|item| scope.spawn(move || work(item))).collect();
        let mut results: Vec<R> = first.map(work).into_iter().collect();
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_items() {
        let mut items = [1, 2, 3, 4];
        let results = run_on_threads(items.iter_mut(), |item| {
            *item *= 2;
            *item
        });
        assert_eq!(results, [2, 4, 6, 8]);
        assert!(run_on_threads([0; 0], |item| item).is_empty());
    }

    #[test]
    fn a_panic_comes_through() {
        let caught = std::panic::catch_unwind(|| run_on_threads([1, 2, 3], |item| assert_ne!(item, 3)));
        assert!(caught.is_err());
    }
}
