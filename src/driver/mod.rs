//! Drivers: the ways to reach an implementation.

mod api;
mod library;
mod start;

#[cfg(unix)]
mod exec;
#[cfg(unix)]
mod group;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod kept;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod program;
#[cfg(unix)]
mod registry;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod survivors;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod workspace;

pub use api::{Connection, Driver, DriverError, Request};
#[cfg(unix)]
pub use exec::ExecDriver;
#[cfg(unix)]
pub use interrupt::Interrupt;
#[cfg(unix)]
pub use launch::{ExecConfig, PASSED_ON, inherited};
pub use library::{Implementation, LibraryDriver, Reply};
pub use start::StartError;
