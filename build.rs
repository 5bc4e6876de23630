//! Embeds `suites/`, `fixtures/`, `schemas/` and `docs/adapters/`: one blob with all
//! the bytes and an index of `(path, offset, length, length as JSON)`, sorted by path.
//!
//! A blob and an index compile in no time whatever the number of files, and cargo
//! scans the directories themselves, so that a file that is added is noticed.
//!
//! After each YAML file of the program's own comes the same as JSON: reading a
//! thousand goldens at every start takes a tenth of the time that way. What does
//! not translate is left out, and then read, or refused with its place, as YAML.
//! Last comes the SHA-256 digest of the file: every run tells the identity of all.

#![allow(clippy::print_stdout, reason = "a build script talks to cargo on standard output")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest as _, Sha256};

const FOLDERS: [&str; 4] = ["docs/adapters", "fixtures", "schemas", "suites"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        if root.join(folder).is_dir() {
            collect(&root.join(folder), folder, &mut files)?;
        }
    }
    files.sort();

    let mut blob = Vec::new();
    let mut index = String::from("&[\n");
    for (path, file) in &files {
        let bytes = fs::read(file).map_err(|error| format!("{path}: {error}"))?;
        let json = if is_own(path) { as_json(&bytes) } else { None }.unwrap_or_default();
        writeln!(index, "    ({path:?}, {}, {}, {}),", blob.len(), bytes.len(), json.len())?;
        blob.extend_from_slice(&bytes);
        blob.extend_from_slice(&json);
        blob.extend_from_slice(&Sha256::digest(&bytes));
    }
    index.push_str("]\n");

    fs::write(out.join("data.blob"), blob)?;
    fs::write(out.join("data.index.rs"), index)?;
    Ok(())
}

/// Whether a file is read by this program, and not by what it tests.
fn is_own(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("suites/") && name.ends_with(".yaml")
        || name == "expected.yaml"
        || name.ends_with(".expected.yaml")
}

fn as_json(yaml: &[u8]) -> Option<Vec<u8>> {
    let value: serde_yaml::Value = serde_yaml::from_slice(yaml).ok()?;
    serde_json::to_vec(&value).ok()
}

/// All files below `directory`, whose path for the index is `prefix`.
fn collect(
    directory: &Path,
    prefix: &str,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory).map_err(|error| format!("{prefix}: {error}"))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| format!("{prefix}: {name:?} is not UTF-8"))?;
        let path = format!("{prefix}/{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &path, files)?;
        } else if kind.is_file() {
            files.push((path, entry.path()));
        } else if !name.starts_with(".#") {
            // Editors keep their locks as links named `.#…`.
            return Err(format!("{path}: only regular files can be embedded").into());
        }
    }
    Ok(())
}
