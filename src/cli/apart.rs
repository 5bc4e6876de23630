//! Keeps what is written apart from what is read, or written beside it.

use std::path::Path;

use super::args::ReachArgs;
use super::exit::Fatal;
use crate::report::{ReportSpec, Target, escape};

/// A file that the command line names, and what it is.
#[derive(Debug, Clone)]
pub(super) struct Named {
    what: String,
    target: Target,
}

impl Named {
    /// The file at a path.
    pub(super) fn new(what: &str, path: &Path) -> Self {
        let name = escape::line(&path.to_string_lossy()).into_owned();
        Self { what: format!("{what} {name}"), target: Target::of_path(path.to_owned()) }
    }

    /// What goes to a target.
    pub(super) fn output(what: impl std::fmt::Display, target: &Target) -> Self {
        Self { what: format!("the {what}"), target: target.clone() }
    }

    /// The reports that a command writes.
    pub(super) fn reports(specs: &[ReportSpec]) -> Vec<Self> {
        specs.iter().map(|spec| Self::output(spec, spec.target())).collect()
    }

    /// The reports that a command reads.
    pub(super) fn read(paths: &[impl AsRef<Path>]) -> Vec<Self> {
        paths.iter().map(|path| Self::new("the report", path.as_ref())).collect()
    }

    /// The files that an implementation is reached by, as far as the command line names them.
    pub(super) fn reached(reach: &ReachArgs) -> Vec<Self> {
        let named = |what: &str, path: &Path| path.is_file().then(|| Self::new(what, path));
        let program = reach.program().map(Path::new);
        let arguments = reach.arguments.iter().map(Path::new);
        let profile = reach.profile().map(Path::new);
        profile
            .and_then(|path| named("the profile", path))
            .into_iter()
            .chain(program.and_then(|path| named("the implementation", path)))
            .chain(reach.library().and_then(|path| named("the library", path)))
            .chain(arguments.filter_map(|path| named("a file of the implementation,", path)))
            .collect()
    }
}

/// Refuses to write something in the place of what is kept. `code` stands in the message.
///
/// # Errors
/// When two are the same file, by whatever names.
pub(super) fn apart(written: &[Named], kept: &[Named], code: Option<&str>) -> Result<(), Fatal> {
    for output in written {
        if let Some(other) = kept.iter().find(|other| output.target.is_same(&other.target)) {
            let code = code.map(|code| format!(" [{code}]")).unwrap_or_default();
            let text = format!("{} would take the place of {}{code}", output.what, other.what);
            return Err(Fatal::error(text).with_remedy("give each a file of its own"));
        }
    }
    Ok(())
}

/// Refuses to write over a file of the suites or fixtures that are read from directories.
///
/// # Errors
/// When an output is one: a YAML file in the directory, or JSON beside one.
pub(super) fn apart_from_data(
    written: &[Named],
    suites: Option<&Path>,
    fixtures: Option<&Path>,
) -> Result<(), Fatal> {
    let folders = [("suites", suites), ("fixtures", fixtures)];
    let folders = folders.iter().filter_map(|(what, folder)| {
        // One that is not there is told of when it is read.
        Some((what, folder.as_ref()?, std::fs::canonicalize(folder.as_ref()?).ok()?))
    });
    for (what, folder, root) in folders {
        for output in written {
            let Target::File(path) = &output.target else { continue };
            // What is not there yet takes no place.
            let Ok(path) = std::fs::canonicalize(path) else { continue };
            if path.starts_with(&root) && is_data(&path) {
                let folder = escape::line(&folder.to_string_lossy()).into_owned();
                let text = format!("{} would take the place of one of the {what}", output.what);
                return Err(Fatal::error(format!("{text} in {folder}"))
                    .with_remedy("write it to a file outside of that directory"));
            }
        }
    }
    Ok(())
}

/// Whether a file looks like one of a suite or fixture.
fn is_data(path: &Path) -> bool {
    let ends = |path: &Path, endings: &[&str]| {
        path.extension().is_some_and(|it| endings.iter().any(|end| it.eq_ignore_ascii_case(end)))
    };
    let yaml = ["yaml", "yml"];
    let beside = || path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    path.is_file()
        && (ends(path, &yaml)
            || ends(path, &["json"])
                && beside().is_some_and(|mut it| {
                    it.any(|entry| entry.is_ok_and(|entry| ends(&entry.path(), &yaml)))
                }))
}
