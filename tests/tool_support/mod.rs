//! Tools that nobody here wrote, as tests find them.
//!
//! They are looked for in the folder `LIVING_CONFORMANCE_TOOLS`, laid out as `.ci/run` does
//! it, and in `PATH`. Where one is missing its test says so and passes, unless that
//! variable or `CI` is set: there it fails.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "helpers of tests are tests"
)]

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Where tools are, and the variables that make programs find them.
pub(crate) struct Tools(pub(crate) Vec<(&'static str, OsString)>);

impl Tools {
    /// The tools, if this command ends well with them.
    pub(crate) fn with(command: &[&str]) -> Option<Self> {
        let tools = Self::where_installed(command);
        for name in ["CI", "LIVING_CONFORMANCE_TOOLS"] {
            let is_sure = env::var_os(name).is_some_and(|it| !it.is_empty());
            assert!(tools.is_some() || !is_sure, "not installed: {command:?}");
        }
        tools
    }

    /// The same for a tool that `.ci/run` does not install: it may be missing anywhere.
    pub(crate) fn where_installed(command: &[&str]) -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut variables = vec![("PATH", path.clone())];
        if let Some(folder) = env::var_os("LIVING_CONFORMANCE_TOOLS").map(PathBuf::from) {
            let own =
                [folder.join("python/bin"), folder.join("bin"), folder.join("node_modules/.bin")];
            let all = own.into_iter().chain(env::split_paths(&path));
            variables = vec![
                ("PATH", env::join_paths(all).unwrap()),
                ("NODE_PATH", folder.join("node_modules").into()),
            ];
        }
        let tools = Self(variables);
        let found = tools.command(command[0]).args(&command[1..]).stdin(Stdio::null()).output();
        if found.is_ok_and(|output| output.status.success()) {
            return Some(tools);
        }
        eprintln!("not tested, because this does not work here: {command:?}");
        None
    }

    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.envs(self.0.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a script of Node with some text on its standard input; what it prints.
    #[track_caller]
    pub(crate) fn node(&self, script: &str, input: &str) -> String {
        let mut command = self.command("node");
        self.fed(command.args(["-e", script]), input)
    }

    /// Runs a command with some text on its standard input; what it prints.
    #[track_caller]
    pub(crate) fn fed(&self, command: &mut Command, input: &str) -> String {
        let (read, write) = (Stdio::piped(), Stdio::piped());
        let mut child = command.stdin(read).stdout(write).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        // One that does not read to the end has said why.
        let _ = feeder.join().unwrap();
        printed(&output)
    }
}

/// What a command that ended well has printed.
#[track_caller]
pub(crate) fn printed(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    stdout
}
