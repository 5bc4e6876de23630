//! Values that are made when they are first asked for.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// A value that is made when it is first asked for, once for all clones: what only the
/// end of a run wants, its start need not wait for.
pub struct Deferred<T>(Arc<LazyLock<T, Make<T>>>);

type Make<T> = Box<dyn FnOnce() -> T + Send>;

impl<T> Deferred<T> {
    /// One that is made this way.
    #[must_use]
    pub fn new(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }

    /// Makes it now, where it is not yet.
    pub fn make(&self) {
        LazyLock::force(&self.0);
    }
}

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Deferred<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Deferred<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deferred")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn it_is_made_once_and_not_before_it_is_asked_for() {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let deferred = Deferred::new(move || count.fetch_add(1, Ordering::Relaxed) + 7);
        let other = deferred.clone();
        assert_eq!(made.load(Ordering::Relaxed), 0);
        assert_eq!((*other, *deferred), (7, 7));
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }
}
