//! A child process in a job object: what it starts ends with it.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use win32job::{ExtendedLimitInfo, Job};

/// A process that the console's Ctrl-C does not reach: it is for the run, which then ends
/// the process. With it, the case under way would count as one that crashed.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;

/// How often to look whether something has happened.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// How long killed processes may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// A job whose processes are killed when its last handle is closed: at the latest
/// when this program ends, however it does.
pub(crate) fn job() -> io::Result<Job> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    Ok(Job::create_with_limit_info(&limits)?)
}

/// A process and its job. Dropping it kills all that is in the job.
#[derive(Debug)]
pub(crate) struct Leader {
    child: Child,
    /// `None` once it was closed.
    job: Option<Job>,
}

impl Leader {
    /// Starts `command` and puts it into a job of its own.
    ///
    /// What it starts within its first instant is not in that job, but in that of
    /// this program.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        let job = job()?;
        let mut child = command.creation_flags(CREATE_NEW_PROCESS_GROUP).spawn()?;
        // A handle is a number for the system, whatever type it has here.
        let assigned = job.assign_process(child.as_raw_handle() as isize);
        if assigned.is_err() && matches!(child.try_wait(), Ok(None)) {
            // It runs, and could not be ended together with what it starts.
            let _ = child.kill();
            let _ = child.wait();
            assigned?;
        }
        Ok(Self { child, job: Some(job) })
    }

    pub(crate) fn child_mut(&mut self) -> &mut Child {
        &mut self.child
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Kills everybody in the job.
    pub(crate) fn kill_all(&mut self) {
        self.job = None;
    }

    /// Kills everybody, and waits for the process itself. `None` when the system cannot
    /// let go of it.
    pub(crate) fn end(mut self) -> io::Result<Option<ExitStatus>> {
        self.kill_all();
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() > until {
                return Ok(None);
            }
            // In case it was not in the job.
            let _ = self.child.kill();
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}
