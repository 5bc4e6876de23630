//! Ctrl-C: the run has to hear of it, and end its children.

use std::io;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::job::job;
use super::registry::Registry;

/// Whether the run is to end early, shared by everybody who has to know.
///
/// The drivers end their cases at once when it is raised; the run loop asks
/// [`Interrupt::signal`] between cases and writes its reports as incomplete.
#[derive(Debug, Clone)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
    registry: Arc<Registry>,
}

impl Interrupt {
    /// One that only [`Interrupt::raise`] raises.
    ///
    /// # Errors
    /// None on this system.
    pub fn new() -> io::Result<Self> {
        Ok(Self { signal: Arc::default(), registry: Arc::new(Registry::new()) })
    }

    /// One that Ctrl-C raises. The second one ends the program at once, with all child
    /// processes.
    ///
    /// # Errors
    /// When it cannot be caught.
    pub fn on_signals() -> io::Result<Self> {
        const INTERRUPTED: i32 = 130;
        let interrupt = Self::new()?;
        let was_raised = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first one sets what the second one finds.
            let raised = Arc::clone(&was_raised);
            signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, raised)?;
            signal_hook::flag::register(signal, Arc::clone(&was_raised))?;
            let number = usize::try_from(signal).unwrap_or(1);
            signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.signal), number)?;
        }
        Ok(interrupt)
    }

    /// For programs that start implementations, before the first one: has everything end
    /// that is left when this program ends, however it does.
    #[must_use]
    pub fn guard(&self, _: Option<Command>) -> Guard {
        // The system closes the handle when this process ends, and not before: closing
        // it ends all in the job, this process as well.
        if let Ok(job) = job()
            && job.assign_current_process().is_ok()
        {
            let _ = job.into_handle();
        }
        Guard(())
    }

    /// Ends the run as this signal would. Only the first call counts.
    pub fn raise(&self, signal: i32) {
        let signal = usize::try_from(signal).unwrap_or(1);
        let _ = self.signal.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// The signal that ended the run, if one did.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        i32::try_from(self.signal.load(Ordering::SeqCst)).ok().filter(|&signal| signal != 0)
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }
}

/// What [`Interrupt::guard`] began. Dropping it does nothing on this system.
#[derive(Debug)]
pub struct Guard(());
