//! Drivers: the ways to reach an implementation.

mod api;
mod cross_check;
mod library;
mod profile;
mod protocol;
mod serve;
mod start;
mod template;

#[cfg(unix)]
mod assets;
#[cfg(all(unix, feature = "library"))]
mod cabi;
#[cfg(unix)]
mod config;
#[cfg(unix)]
mod dialogue;
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
mod session;
#[cfg(unix)]
mod session_process;
#[cfg(unix)]
mod session_worker;
#[cfg(unix)]
mod strays;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod survivors;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod watchdog;
#[cfg(unix)]
mod workspace;

pub use api::{Connection, Driver, DriverError, Request};
#[cfg(all(unix, feature = "library"))]
pub use cabi::{HostError, host_library};
#[cfg(unix)]
pub use config::{ExecConfig, PASSED_ON, inherited};
pub use cross_check::{CrossCheck, Fresh};
#[cfg(unix)]
pub use exec::ExecDriver;
#[cfg(unix)]
pub use interrupt::{Guard, Interrupt};
pub use library::{Implementation, LibraryDriver, Reply};
pub use profile::{
    Ask, Exits, Home, LineReader, Profile, ProfileFault, Rejects, SessionAsk, find_profile,
    read_profile, shipped_profiles,
};
pub use protocol::{Greeting, SESSION_VERSION};
pub use serve::serve;
#[cfg(unix)]
pub use session::{SessionConfig, SessionDriver};
pub use start::StartError;
#[cfg(unix)]
pub use watchdog::watch;
