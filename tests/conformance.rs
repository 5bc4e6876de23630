//! The suites against the built-in reference, each case a test.

use std::process::ExitCode;

use living_conformance::reference::Reference;

fn main() -> ExitCode {
    living_conformance::libtest(Reference::new(Reference::LATEST))
}
