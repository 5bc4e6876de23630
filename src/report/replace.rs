//! Replaces a file in one step.

use std::io;
use std::path::Path;

use super::sink::Target;

/// Makes a file hold these bytes, all of them or none.
///
/// # Errors
/// When it cannot be written; it is then as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Target::File(path.to_owned()).save(|out| out.write_all(bytes))
}
