//! Replaces a file in one step.

use std::io::{self, Write as _};
use std::path::Path;

use super::sink::{Sink, Target};

/// Makes a file hold these bytes, all of them or none.
///
/// # Errors
/// When it cannot be written; it is then as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut sink = Sink::open(&Target::File(path.to_owned()))?;
    sink.write_all(bytes)?;
    sink.commit()
}
