//! Embeds `suites/`, `fixtures/`, `schemas/` and `docs/adapters/`: one blob with all
//! the bytes, and for each folder an index of `(path, offset, length, length as JSON)`,
//! sorted by path.
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

    let mut blob = Vec::new();
    let mut index = String::from("[\n");
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        let mut files = Vec::new();
        if root.join(folder).is_dir() {
            collect(&root.join(folder), "", &mut files)?;
        }
        files.sort();
        writeln!(index, "    ({folder:?}, &[")?;
        for (path, file) in &files {
            let bytes = fs::read(file).map_err(|error| format!("{folder}/{path}: {error}"))?;
            let json = if is_own(folder, path) { as_json(&bytes) } else { None };
            let json = json.unwrap_or_default();
            writeln!(
                index,
                "        ({path:?}, {}, {}, {}),",
                blob.len(),
                bytes.len(),
                json.len()
            )?;
            blob.extend_from_slice(&bytes);
            blob.extend_from_slice(&json);
            blob.extend_from_slice(&Sha256::digest(&bytes));
        }
        index.push_str("    ]),\n");
    }
    index.push_str("]\n");

    fs::write(out.join("data.blob"), blob)?;
    fs::write(out.join("data.index.rs"), index)?;
    Ok(())
}

/// Whether a file is read by this program, and not by what it tests.
fn is_own(folder: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    folder == "suites" && name.ends_with(".yaml")
        || name == "expected.yaml"
        || name.ends_with(".expected.yaml")
}

fn as_json(yaml: &[u8]) -> Option<Vec<u8>> {
    let value: serde_yaml::Value = serde_yaml::from_slice(yaml).ok()?;
    serde_json::to_vec(&value).ok()
}

/// All files below `directory`, whose own path below its folder is `above`.
fn collect(
    directory: &Path,
    above: &str,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), Box<dyn Error>> {
    let shown = directory.display();
    for entry in fs::read_dir(directory).map_err(|error| format!("{shown}: {error}"))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| format!("{shown}: {name:?} is not UTF-8"))?;
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &path, files)?;
        } else if kind.is_file() {
            files.push((path, entry.path()));
        } else if !name.starts_with(".#") {
            // Editors keep their locks as links named `.#…`.
            let shown = entry.path();
            return Err(format!("{}: only regular files can be embedded", shown.display()).into());
        }
    }
    Ok(())
}
