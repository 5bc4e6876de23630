//! Temporary folders, and tags that tell owners of processes apart.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable in every child's environment that tells whose it is.
pub(crate) const TAG_VARIABLE: &str = "LIVING_CONFORMANCE_RUN";

/// What a run makes. Processes are in job objects, so there is little to keep.
#[derive(Debug)]
pub(crate) struct Registry {
    owners: AtomicU64,
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self { owners: AtomicU64::new(0) }
    }

    /// A tag that no other owner of processes has.
    pub(crate) fn new_tag(&self) -> String {
        format!("{}-{}.", std::process::id(), self.owners.fetch_add(1, Ordering::Relaxed))
    }

    /// Makes a temporary folder below `parent`.
    ///
    /// # Errors
    /// When it cannot be made.
    #[allow(clippy::unused_self, reason = "elsewhere it is remembered")]
    pub(crate) fn make_folder(&self, parent: &Path) -> io::Result<PathBuf> {
        Ok(tempfile::Builder::new().prefix("living-conformance-").tempdir_in(parent)?.keep())
    }

    #[allow(clippy::unused_self, reason = "elsewhere it is forgotten")]
    pub(crate) fn remove_folder(&self, _: &Path) {}

    #[allow(clippy::unused_self, reason = "elsewhere there are some")]
    pub(crate) fn reap_abandoned(&self) {}

    #[allow(clippy::unused_self, reason = "elsewhere there are some")]
    pub(crate) fn reap_strays(&self) {}

    #[allow(clippy::unused_self, reason = "elsewhere there may be some")]
    pub(crate) fn has_strays(&self) -> bool {
        false
    }

    #[allow(clippy::unused_self, reason = "elsewhere there may have been some")]
    pub(crate) fn has_had_strays(&self) -> bool {
        false
    }

    #[allow(clippy::unused_self, reason = "elsewhere there are some")]
    pub(crate) fn end_strays(&self, _: bool) {}
}
