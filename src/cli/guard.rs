//! Signals, and what is left when this program is killed.

use std::env;
#[cfg(unix)]
use std::io::Read;
#[cfg(unix)]
use std::path::Path;
use std::process::Command;

#[cfg(unix)]
use super::exit::Exit;
use super::exit::Fatal;
#[cfg(unix)]
use crate::driver::watch;
use crate::driver::{Guard, Interrupt};

/// The hidden command of the second process.
pub(super) const WATCHDOG: &str = "watchdog";

/// Hears signals.
///
/// # Errors
/// When they cannot be caught.
pub(super) fn interrupt() -> Result<Interrupt, Fatal> {
    Interrupt::on_signals()
        .map_err(|error| Fatal::error(format!("failed to listen for signals: {error}")))
}

/// For runs that start processes: to be dropped after their driver. Without it, and
/// where the second process cannot be started, a run does as well until it is killed.
pub(super) fn guard(interrupt: &Interrupt) -> Guard {
    let command = env::current_exe().map(|own| {
        let mut command = Command::new(own);
        command.arg(WATCHDOG);
        command
    });
    interrupt.guard(command.ok())
}

/// What the second process does.
#[cfg(unix)]
pub(super) fn watchdog(tag: &str, temporary: &Path, input: &mut dyn Read) -> Exit {
    watch(tag, temporary, input);
    Exit::Success
}
