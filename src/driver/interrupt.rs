//! Ctrl-C, SIGTERM, a closed terminal: children are in process groups of their own and do not
//! get the terminal's signals, so the run has to hear of them and end them.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::registry::Registry;

/// Whether the run is to end early, shared by everybody who has to know.
///
/// The drivers end their cases at once when it is raised; the run loop asks
/// [`Interrupt::signal`] between cases and writes its reports as incomplete.
#[derive(Debug, Clone)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    signal: AtomicI32,
    /// Never readable; hangs up when the writing end is closed, which wakes
    /// everybody who polls it, for good.
    wake: OwnedFd,
    ring: Mutex<Option<OwnedFd>>,
    registry: Registry,
}

impl Interrupt {
    /// One that only [`Interrupt::raise`] raises.
    ///
    /// # Errors
    /// When the system has no file descriptors left.
    pub fn new() -> io::Result<Self> {
        let (wake, ring) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Self {
            shared: Arc::new(Shared {
                signal: AtomicI32::new(0),
                wake,
                ring: Mutex::new(Some(ring)),
                registry: Registry::new(),
            }),
        })
    }

    /// One that SIGINT, SIGTERM, SIGHUP and SIGQUIT raise. The second of these
    /// signals ends the program at once, with all child processes and temporary folders.
    ///
    /// # Errors
    /// When the signals cannot be caught.
    pub fn on_signals() -> io::Result<Self> {
        let interrupt = Self::new()?;
        hear_of_children()?;
        let (mut arrivals, announce) = UnixStream::pair()?;
        let latest = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            // In this order: who reads the announcement finds the number.
            signal_hook::flag::register_usize(signal, Arc::clone(&latest), signal as usize)?;
            signal_hook::low_level::pipe::register(signal, announce.try_clone()?)?;
        }
        let raised = interrupt.clone();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let mut byte = [0];
            while arrivals.read_exact(&mut byte).is_ok() {
                let signal = i32::try_from(latest.load(Ordering::SeqCst)).unwrap_or(SIGINT);
                if raised.signal().is_none() {
                    raised.raise(signal);
                } else {
                    raised.registry().clear();
                    // Ends the program as if the signal had not been caught.
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            }
        })?;
        Ok(interrupt)
    }

    /// For programs that start implementations, before the first one: sees to
    /// processes that would get away from their group, and has a second process clean
    /// up when this one is killed. `watchdog` is a command that calls [`watch`] with
    /// its last two arguments and standard input.
    ///
    /// [`watch`]: super::watch
    #[must_use]
    pub fn guard(&self, watchdog: Option<Command>) -> Guard {
        self.registry().guard(watchdog, &std::env::temp_dir());
        Guard(self.clone())
    }

    /// Ends the run as this signal would. Only the first call counts.
    pub fn raise(&self, signal: i32) {
        let _ = self.shared.signal.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
        self.shared.ring.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The signal that ended the run, if one did.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        Some(self.shared.signal.load(Ordering::SeqCst)).filter(|&signal| signal != 0)
    }

    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.shared.wake.as_fd()
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.shared.registry
    }
}

/// Dropping it ends what [`Interrupt::guard`] began; to be done when the drivers are
/// gone.
#[derive(Debug)]
pub struct Guard(Interrupt);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.registry().dismiss();
    }
}

/// Whoever started this program may have had it ignore SIGCHLD. Then the system
/// throws away how children end, and gives their ids to others at once.
fn hear_of_children() -> io::Result<()> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default();
    if ignored & (1 << (SIGCHLD - 1)) != 0 {
        // Any handler will do; nobody asks for the flag.
        signal_hook::flag::register(SIGCHLD, Arc::default())?;
    }
    Ok(())
}
