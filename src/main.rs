//! The command line program: parse, do, exit.

use std::io;
use std::process::ExitCode;

use living_conformance::cli::{Cli, execute};
use living_conformance::settings::Surroundings;

fn main() -> ExitCode {
    let cli = Cli::read();
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout());
    match execute(&cli, &Surroundings::detect(), &mut stdin, &mut stdout) {
        Ok(exit) => exit.into(),
        Err(fatal) => fatal.tell(),
    }
}
