//! Why an implementation could not be started, and what to do about it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::core::Stopped;
use crate::data::printable;

/// An implementation that could not be started. Reads after "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No such file.
    #[error("start {program:?}: there is no such file")]
    NotFound {
        /// The path.
        program: PathBuf,
    },
    /// A bare name that no folder of the search path has.
    #[error("start {name:?}: no folder in PATH has a program of that name")]
    NotInPath {
        /// The name.
        name: OsString,
        /// Whether the current folder has such a file.
        is_here: bool,
    },
    /// A directory or another thing that is no file.
    #[error("start {program:?}: it is {what}, not a file")]
    NotAFile {
        /// The path.
        program: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The executable bit is missing, for the file or a folder above it.
    #[error("start {program:?}: it may not be executed")]
    NotExecutable {
        /// The path.
        program: PathBuf,
    },
    /// What it names to run it is missing: a script's interpreter, a program's loader.
    #[error("start {program:?}: the {what} it asks for is not there")]
    NoInterpreter {
        /// The path.
        program: PathBuf,
        /// What is missing.
        what: String,
    },
    /// Neither a program nor a script that names its interpreter.
    #[error("start {program:?}: it is neither a program nor a script that begins with #!")]
    NoShebang {
        /// The path.
        program: PathBuf,
    },
    /// A program, but none that this machine can run.
    #[error("start {program:?}: it is a program in the {format} format, for another machine")]
    WrongMachine {
        /// The path.
        program: PathBuf,
        /// The format of its file.
        format: &'static str,
    },
    /// The system refused for another reason.
    #[error("start {program:?}: {source}")]
    Refused {
        /// The path.
        program: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The folder in which it is to run could not be made or written.
    #[error("prepare the folder {path:?}: {source}")]
    Workspace {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A process could not be watched to its end.
    #[error("watch the process of {program:?}: {source}")]
    Unwatched {
        /// The path.
        program: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It does not take up a session.
    #[error("open a session with {command}: it {cause}{}", said(.stderr))]
    NoSession {
        /// The command line, safe to show.
        command: String,
        /// What it did instead.
        cause: String,
        /// The end of what it wrote to standard error.
        stderr: String,
        /// Whether it is a library, which has no other way to be run.
        is_library: bool,
    },
    /// Its sessions break too often.
    #[error("keep up a session with {command}: started again {restarts} times, it broke off once more{}", told(.story))]
    GaveUp {
        /// The command line, safe to show.
        command: String,
        /// How often it was started again.
        restarts: usize,
        /// What broke each session: the case under way, and what happened.
        story: Vec<String>,
        /// Whether it is a library, which has no other way to be run.
        is_library: bool,
    },
    /// An argument asks for a document that the fixture does not have.
    #[error("fill in the argument {argument:?}: the fixture has no document {name:?}")]
    NoDocument {
        /// The argument's template.
        argument: String,
        /// The name in it.
        name: String,
    },
    /// An argument asks for the folder that the user gives, and none is given.
    #[error("fill in the argument {argument:?}: no folder is given")]
    NoFolder {
        /// The argument's template.
        argument: String,
    },
    /// The folder that the user gives, or that the program is to work in, is none.
    #[error("find the folder {path:?}")]
    FolderNotFound {
        /// The folder.
        path: PathBuf,
    },
    /// Neither the user nor the profile names a program.
    #[error("start an implementation: the profile {profile:?} names no program")]
    NoProgram {
        /// The profile's name.
        profile: String,
    },
    /// The profile does not say how to ask for a session.
    #[error("open a session: the profile {profile:?} does not say how")]
    NoSessionAsk {
        /// The profile's name.
        profile: String,
    },
}

impl StartError {
    /// Why a run ended that met it.
    #[must_use]
    pub(crate) fn stopped(&self) -> Stopped {
        match self {
            Self::GaveUp { .. } => Stopped::GaveUp,
            _ => Stopped::NotStarted,
        }
    }

    /// A stable name of the kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "implementation-not-found",
            Self::NotInPath { .. } => "implementation-not-in-path",
            Self::NotAFile { .. } => "implementation-not-a-file",
            Self::NotExecutable { .. } => "implementation-not-executable",
            Self::NoInterpreter { .. } => "implementation-no-interpreter",
            Self::NoShebang { .. } => "implementation-no-shebang",
            Self::WrongMachine { .. } => "implementation-wrong-machine",
            Self::Refused { .. } => "implementation-refused",
            Self::Workspace { .. } => "workspace",
            Self::Unwatched { .. } => "implementation-unwatched",
            Self::NoSession { .. } => "no-session",
            Self::GaveUp { .. } => "session-given-up",
            Self::NoDocument { .. } => "argument-without-document",
            Self::NoFolder { .. } => "argument-without-folder",
            Self::FolderNotFound { .. } => "folder-not-found",
            Self::NoProgram { .. } => "profile-without-program",
            Self::NoSessionAsk { .. } => "profile-without-session",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotFound { program } if has_blank(program.file_name()) => ARGUMENTS,
            Self::NotFound { .. } => "check the path given to --impl",
            Self::NotInPath { is_here: true, .. } => {
                "the current folder has it: write ./ before the name"
            }
            Self::NotInPath { name, .. } if has_blank(Some(name)) => ARGUMENTS,
            Self::NotInPath { .. } => "give its path, or add its folder to PATH",
            Self::NotAFile { .. } => "give the path of the program itself",
            Self::NotExecutable { .. } => {
                "make it executable with chmod +x, or give its interpreter and the file after --"
            }
            Self::NoInterpreter { .. } => {
                "install what is missing, or give an interpreter and the file after --"
            }
            Self::NoShebang { .. } => {
                "begin the script with a line such as #!/bin/sh, or give its interpreter and the file after --"
            }
            Self::WrongMachine { .. } => "build it for this machine",
            Self::Refused { .. } | Self::Unwatched { .. } => {
                "see whether limits on processes, files or memory are in the way"
            }
            Self::Workspace { .. } => {
                "see that the temporary folder can be written and has room, or set TMPDIR"
            }
            Self::NoSession { is_library: true, .. } => {
                "docs/libraries.md says what a library exports, and how it answers"
            }
            Self::GaveUp { is_library: true, .. } => {
                "run the cases named above alone, or leave them out until they are mended"
            }
            Self::NoSession { .. } => {
                "let it answer hello as docs/sessions.md says, flushing each line; give it longer with \
                 --start-timeout; or run it without --session"
            }
            Self::GaveUp { .. } => {
                "run the cases named above alone, or run it without --session for a full report"
            }
            Self::NoDocument { .. } => {
                "correct the operation's argv in suite.yaml, or in the profile"
            }
            Self::NoFolder { .. } => "give it with --dir",
            Self::FolderNotFound { .. } => "check what --dir gives, and directory in the profile",
            Self::NoProgram { .. } => "give it with --impl",
            Self::NoSessionAsk { .. } => "run it without --session, or add session to the profile",
        }
    }

    /// Tells why the system did not start `program`.
    #[must_use]
    pub(crate) fn explain(program: &Path, source: io::Error) -> Self {
        let program = program.to_owned();
        match source.kind() {
            // The kernel says the same when the file is missing and when what
            // the file names is.
            io::ErrorKind::NotFound => match missing_interpreter(&program) {
                Some(what) => Self::NoInterpreter { program, what },
                None => Self::NotFound { program },
            },
            io::ErrorKind::PermissionDenied => Self::NotExecutable { program },
            _ if is_exec_format(&source) => match binary_format(&head(&program)) {
                Some(format) => Self::WrongMachine { program, format },
                None => Self::NoShebang { program },
            },
            _ => Self::Refused { program, source },
        }
    }
}

/// What to do about a command line in the place of a program.
const ARGUMENTS: &str = "--impl is the program alone; what comes behind its name stands after --, as \
                         in --impl python3 -- adapter.py";

fn has_blank(name: Option<&OsStr>) -> bool {
    name.is_some_and(|name| name.as_encoded_bytes().contains(&b' '))
}

/// The end of an implementation's own words, on lines of their own.
fn said(stderr: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<_> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default();
    last.iter().map(|line| format!("\n  | {}", printable(line))).collect()
}

/// One line for each incident.
fn told(story: &[String]) -> String {
    story.iter().map(|incident| format!("\n  {}", printable(incident))).collect()
}

/// Finds the program that `name` means: a path as it is, made absolute, or a bare
/// name looked up in `search_path` as a shell would.
///
/// The path is not resolved further: programs that look at their own name, or
/// for files beside themselves, find what they would find when called by hand.
///
/// # Errors
/// When there is no such program, or it plainly cannot be executed.
pub(crate) fn find_program(
    name: &OsStr,
    search_path: Option<&OsStr>,
) -> Result<PathBuf, StartError> {
    if Path::new(name).components().count() > 1 || name.is_empty() {
        let program = absolute(Path::new(name))?;
        return check_program(&program).map(|()| program);
    }
    let folders = search_path.map(std::env::split_paths).into_iter().flatten();
    let mut refused = None;
    for folder in folders {
        // An empty entry stands for the current folder.
        let program = absolute(&Path::new(".").join(folder).join(name))?;
        match check_program(&program) {
            Ok(()) => return Ok(program),
            // A folder that cannot be looked into may not have it at all.
            Err(error) if program.is_file() => refused = refused.or(Some(error)),
            Err(_) => {}
        }
    }
    if let Some(error) = refused {
        return Err(error);
    }
    let here = absolute(Path::new(name))?;
    if here.is_dir() {
        return Err(StartError::NotAFile { program: here, what: "a directory" });
    }
    Err(StartError::NotInPath { name: name.to_owned(), is_here: here.is_file() })
}

fn absolute(path: &Path) -> Result<PathBuf, StartError> {
    std::path::absolute(path)
        .map_err(|source| StartError::Refused { program: path.to_owned(), source })
}

fn check_program(path: &Path) -> Result<(), StartError> {
    let program = path.to_owned();
    match path.metadata() {
        Ok(data) if data.is_dir() => Err(StartError::NotAFile { program, what: "a directory" }),
        Ok(data) if !data.is_file() => {
            Err(StartError::NotAFile { program, what: "a device or a pipe" })
        }
        Ok(data) if !is_executable(&data) => Err(StartError::NotExecutable { program }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(StartError::NotExecutable { program })
        }
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Err(StartError::NotFound { program })
        }
        Err(source) => Err(StartError::Refused { program, source }),
    }
}

#[cfg(unix)]
pub(crate) fn is_executable(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn is_exec_format(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

#[cfg(not(unix))]
fn is_exec_format(error: &io::Error) -> bool {
    const ERROR_BAD_EXE_FORMAT: i32 = 193;
    error.raw_os_error() == Some(ERROR_BAD_EXE_FORMAT)
}

/// The first bytes of a file; none when it cannot be read.
fn head(path: &Path) -> Vec<u8> {
    const ENOUGH_FOR_ITS_FIRST_LINE: u64 = 256;
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        // What could be read is all the same worth a look.
        let _ = file.take(ENOUGH_FOR_ITS_FIRST_LINE).read_to_end(&mut bytes);
    }
    bytes
}

fn missing_interpreter(program: &Path) -> Option<String> {
    let head = head(program);
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let name = line.split_whitespace().next().unwrap_or_default();
        return (!Path::new(name).exists()).then(|| format!("interpreter {name:?}"));
    }
    binary_format(&head).map(|_| "loader of its shared libraries".to_owned())
}

fn binary_format(head: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 7] = [
        (b"\x7fELF", "ELF"),
        (b"MZ", "Windows"),
        (b"\xcf\xfa\xed\xfe", "Mach-O"),
        (b"\xce\xfa\xed\xfe", "Mach-O"),
        (b"\xca\xfe\xba\xbe", "Mach-O or Java class"),
        (b"\0asm", "WebAssembly"),
        (b"!<arch>", "archive"),
    ];
    FORMATS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, format)| *format)
}
