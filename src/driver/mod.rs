//! Drivers: the ways to reach an implementation.

mod api;
mod assets;
#[cfg(all(unix, feature = "library"))]
mod cabi;
mod child;
mod config;
mod cross_check;
mod exec;
mod incoming;
mod launch;
mod library;
mod profile;
mod program;
mod protocol;
mod serve;
mod session;
mod session_process;
mod session_worker;
mod start;
mod template;

#[cfg(unix)]
mod group;
#[cfg(unix)]
mod kept;
#[cfg(unix)]
mod strays;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod watchdog;

#[cfg(windows)]
#[path = "windows/job.rs"]
mod job;

// What the system decides, once for each: the rest does not know which it is on.
#[cfg_attr(windows, path = "windows/dialogue.rs")]
mod dialogue;
#[cfg_attr(windows, path = "windows/interrupt.rs")]
mod interrupt;
#[cfg_attr(windows, path = "windows/process.rs")]
mod process;
#[cfg_attr(windows, path = "windows/registry.rs")]
mod registry;
#[cfg_attr(windows, path = "windows/survivors.rs")]
mod survivors;
#[cfg_attr(windows, path = "windows/tree.rs")]
mod tree;
#[cfg_attr(windows, path = "windows/workspace.rs")]
mod workspace;

pub use api::{Connection, Driver, DriverError, Request};
#[cfg(all(unix, feature = "library"))]
pub use cabi::{HostError, host_library};
pub use config::{ExecConfig, PASSED_ON, inherited};
pub use cross_check::{CrossCheck, Fresh};
pub use exec::ExecDriver;
pub use interrupt::{Guard, Interrupt};
pub use library::{Implementation, LibraryDriver, Reply};
pub use profile::{
    Ask, Exits, Home, LineReader, Profile, ProfileFault, Rejects, SessionAsk, find_profile,
    read_profile, shipped_profiles,
};
pub use protocol::{Greeting, SESSION_VERSION};
pub use serve::serve;
pub use session::{SessionConfig, SessionDriver};
pub use start::StartError;
#[cfg(unix)]
pub use watchdog::watch;
