//! `identity`: the identities of files and directories, as certificates have them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::under_test::{UnderTestArgs, subject};
use crate::certify::{Identity, TreeManifest, identity_of_file};
use crate::cli::args::ReachArgs;
use crate::cli::several::alone;
use crate::cli::{Exit, Fatal};
use crate::data::{Problem, printable};

/// The options of `identity`.
#[derive(Debug, Clone, Default, Args)]
pub struct IdentityArgs {
    /// Files and directories
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Write the manifest of a directory, one entry a line, in place of its identity
    #[arg(long)]
    pub manifest: bool,

    /// What the implementation consists of.
    #[command(flatten)]
    pub under_test: UnderTestArgs,

    /// The implementation whose identity is asked for, as `certify` is given it.
    #[command(flatten)]
    pub reach: ReachArgs,
}

impl IdentityArgs {
    /// Whether the command line itself names an implementation.
    fn names_implementation(&self) -> bool {
        let reach = &self.reach;
        let named = reach.reference || !reach.profile.is_empty() || reach.library().is_some();
        named || !reach.implementation.is_empty()
    }
}

/// Writes the identity of each path.
///
/// # Errors
/// When a path cannot be read, or holds what not every host has.
pub(super) fn identity(args: &IdentityArgs, out: &mut dyn Write) -> Result<Exit, Fatal> {
    if args.names_implementation() {
        alone(&args.reach)?;
        let subject = subject(&args.reach, &args.under_test)?;
        let told = writeln!(out, "{}", subject.identity).and_then(|()| out.flush());
        return told.map_or_else(written, |()| Ok(Exit::Success));
    }
    if args.paths.is_empty() {
        return Err(Fatal::error("nothing is named that could have an identity")
            .with_remedy("name a file or a directory, or an implementation with --impl"));
    }
    let mut problems = Vec::new();
    for path in &args.paths {
        let text = if args.manifest { manifest(path) } else { line(path, args.paths.len() > 1) };
        match text {
            Ok(text) => {
                if let Err(error) = out.write_all(text.as_bytes()) {
                    return written(error);
                }
            }
            Err(mut found) => problems.append(&mut found),
        }
    }
    if problems.is_empty() { Ok(Exit::Success) } else { Err(fatal(&problems)) }
}

fn line(path: &Path, named: bool) -> Result<String, Vec<Problem>> {
    let identity = of(path)?;
    Ok(if named {
        format!("{identity}  {}\n", printable(&path.to_string_lossy()))
    } else {
        format!("{identity}\n")
    })
}

/// The identity of a file's bytes or of a directory's manifest.
pub(super) fn of(path: &Path) -> Result<Identity, Vec<Problem>> {
    if fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        TreeManifest::of_directory(path)?.identity().map_err(|problem| vec![problem])
    } else {
        identity_of_file(path).map_err(|problem| vec![problem])
    }
}

fn manifest(path: &Path) -> Result<String, Vec<Problem>> {
    let tree = TreeManifest::of_directory(path)?;
    let line = |entry: &crate::certify::TreeEntry| {
        format!("{} {} {} {} {}\n", entry.digest, entry.kind, entry.mode, entry.size, entry.path)
    };
    Ok(tree.entries().iter().map(line).collect())
}

/// Says everything that is wrong with what was to be identified.
pub(super) fn fatal(problems: &[Problem]) -> Fatal {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let heading = match problems.len() {
        1 => "this has no identity".to_owned(),
        many => format!("{many} things have no identity"),
    };
    Fatal::error(format!("{heading}\n{}", lines.join("\n")))
}

/// A reader that has seen enough is no error.
pub(super) fn written(error: io::Error) -> Result<Exit, Fatal> {
    crate::cli::exit::written("to standard output", Err(error))
        .map_err(|fatal| fatal.with_remedy("see that standard output can be written"))?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(paths: &[&Path], manifest: bool) -> Result<String, Fatal> {
        let paths = paths.iter().map(|path| path.to_path_buf()).collect();
        let args = IdentityArgs { paths, manifest, ..IdentityArgs::default() };
        let mut out = Vec::new();
        identity(&args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn files_and_directories_have_identities() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(run(&[&file], false).unwrap(), format!("{empty}\n"));
        assert_eq!(run(&[root.path()], true).unwrap(), format!("{empty} file 0644 0 file\n"));
        let both = run(&[root.path(), &file], false).unwrap();
        let lines: Vec<&str> = both.lines().collect();
        assert!(lines[0].ends_with(root.path().to_str().unwrap()), "{both}");
        assert_eq!(lines[1], format!("{empty}  {}", file.display()));
    }

    #[cfg(unix)]
    #[test]
    fn everything_that_has_none_is_named() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("a")).unwrap();
        std::os::unix::fs::symlink("../..", root.path().join("b")).unwrap();
        let error = run(&[root.path(), Path::new("/nowhere\u{1b}")], false).unwrap_err();
        assert_eq!(error.exit, Exit::Error);
        for code in ["[tree.link.absolute]", "[tree.link.escapes]", "[tree.unreadable]"] {
            assert!(error.message.contains(code), "{}", error.message);
        }
        assert!(!error.message.contains('\u{1b}'), "{}", error.message);
    }
}
