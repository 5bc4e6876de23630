//! What the benchmarks that start small programs have in common.

#![allow(clippy::unwrap_used, reason = "a benchmark reports, or fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// A number that the environment may change.
pub(crate) fn from_environment(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// A static program of this C text, in a folder: little starts quicker.
pub(crate) fn compiled(folder: &Path, text: &str) -> PathBuf {
    let (source, child) = (folder.join("child.c"), folder.join("child"));
    std::fs::write(&source, text).unwrap();
    let cc = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&child).arg(source).status();
    assert!(cc.unwrap().success());
    child
}

/// The median and the quartiles.
pub(crate) fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [2, 1, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}
