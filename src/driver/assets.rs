//! Folders that the arguments of a profile name: the schemas, and its own files.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::data::Folder;

use super::config::ExecConfig;
use super::profile::Home;
use super::template::{fill, fill_quoted, names};
use super::tree::remove_tree;
use super::{Interrupt, StartError};

/// What `{schemas}`, `{profile}` and `{dir}` stand for, as far as the profile
/// names them.
#[derive(Debug)]
pub(crate) struct Assets {
    /// Holds what was in the binary.
    private: Option<PathBuf>,
    interrupt: Interrupt,
    schemas: Option<PathBuf>,
    profile: Option<PathBuf>,
    directory: Option<PathBuf>,
}

impl Assets {
    /// Writes what is in the binary to a private folder, if it is named.
    pub(crate) fn new(config: &ExecConfig, interrupt: &Interrupt) -> Result<Self, StartError> {
        let named = |name| config.profile.templates().flat_map(names).any(|it| it == name);
        // Children have another working directory: a relative path would be lost.
        let directory = config.directory.as_deref().and_then(|it| std::path::absolute(it).ok());
        let mut assets = Self {
            private: None,
            interrupt: interrupt.clone(),
            schemas: None,
            profile: None,
            directory,
        };
        let mut embedded = Vec::new();
        if named("schemas") {
            embedded.push((Folder::Schemas, "schemas"));
        }
        match &config.profile.home {
            Home::Embedded if named("profile") => embedded.push((Folder::Adapters, "profile")),
            Home::Folder(folder) => assets.profile = Some(folder.clone()),
            Home::Embedded | Home::None => {}
        }
        if embedded.is_empty() {
            return Ok(assets);
        }
        let failed = |source| StartError::Workspace { path: config.temporary.clone(), source };
        let root = std::path::absolute(&config.temporary)
            .and_then(|parent| interrupt.registry().make_folder(&parent))
            .map_err(failed)?;
        assets.private = Some(root.clone());
        for (folder, name) in embedded {
            let target = root.join(name);
            write_all(folder, &target).map_err(failed)?;
            let place = if name == "schemas" { &mut assets.schemas } else { &mut assets.profile };
            *place = Some(target);
        }
        Ok(assets)
    }

    /// Fills in a text that is the same for all cases.
    pub(crate) fn fill(&self, template: &str) -> Result<OsString, StartError> {
        self.fill_for_case(template, &|_| None)
    }

    /// Fills in an argument of a case.
    pub(crate) fn fill_for_case(
        &self,
        template: &str,
        document: &dyn Fn(&str) -> Option<PathBuf>,
    ) -> Result<OsString, StartError> {
        fill(template, &|name| self.path(name, document)).map_err(|name| missing(template, name))
    }

    /// Fills in a text for a shell.
    pub(crate) fn fill_for_shell(
        &self,
        template: &str,
        document: &dyn Fn(&str) -> Option<PathBuf>,
    ) -> Result<OsString, StartError> {
        fill_quoted(template, &|name| self.path(name, document))
            .map_err(|name| missing(template, name))
    }

    /// A document of a suite comes before a folder of the same name.
    fn path(&self, name: &str, document: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        document(name).or_else(|| match name {
            "schemas" => self.schemas.clone(),
            "profile" => self.profile.clone(),
            "dir" => self.directory.clone(),
            _ => None,
        })
    }
}

impl Drop for Assets {
    fn drop(&mut self) {
        // What cannot be removed stays registered, for another attempt at the end.
        if let Some(root) = self.private.take()
            && remove_tree(&root).is_ok()
        {
            self.interrupt.registry().remove_folder(&root);
        }
    }
}

fn missing(template: &str, name: &str) -> StartError {
    let argument = template.to_owned();
    if name == "dir" {
        StartError::NoFolder { argument }
    } else {
        StartError::NoDocument { argument, name: name.to_owned() }
    }
}

/// Writes the files of an embedded folder; they may only be read, or run where
/// they say by what.
fn write_all(folder: Folder, target: &Path) -> io::Result<()> {
    fs::create_dir_all(target)?;
    for (path, bytes) in folder.files() {
        let path = target.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        create(&path, bytes.starts_with(b"#!"))?.write_all(bytes)?;
    }
    Ok(())
}

/// Makes a file that may only be read, or run as well.
#[cfg(unix)]
fn create(path: &Path, runs: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = if runs { 0o555 } else { 0o444 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path, _: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}
