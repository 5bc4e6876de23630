//! How long it takes from the start of the program to that of the implementation under
//! test for the first case.
//!
//! The implementation is a small static C program that writes the time to a file, once.
//! The same command by itself is subtracted, as the median of rounds that alternate with
//! those of the program, so that other load meets both.
//!
//! `cargo bench --bench start` (needs `cc`); `ROUNDS` in the environment changes how
//! many. Fails above [`AT_MOST`].

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark reports, or fails")]

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(unix)]
mod measure;
#[cfg(unix)]
#[path = "../tests/program/mod.rs"]
mod program;

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::measure::{compiled, from_environment, spread};
    use super::program;

    /// How many milliseconds the first case may be in coming.
    const AT_MOST: f64 = 20.0;

    const CHILD: &str = "#include <fcntl.h>\n#include <stdio.h>\n#include <time.h>\n\
        #include <unistd.h>\n\
        int main(int argc, char **argv) {\n\
          struct timespec now;\n\
          char text[32];\n\
          clock_gettime(CLOCK_REALTIME, &now);\n\
          int file = open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0644);\n\
          if (file < 0) return 0;\n\
          int count = sprintf(text, \"%lld%09ld\", (long long)now.tv_sec, now.tv_nsec);\n\
          return write(file, text, count) != count;\n\
        }\n";

    /// What is run: all cases of the default suites, and one of them.
    const RUNS: [(&str, &[&str]); 2] = [
        ("all cases", &["--fail-fast"]),
        ("one case", &["--exact", "manifest/protocol_version/missing::strict"]),
    ];

    pub(super) fn main() {
        let rounds = from_environment("ROUNDS", 31);
        let folder = tempfile::tempdir().unwrap();
        let child = compiled(folder.path(), CHILD);

        println!("{rounds} rounds; milliseconds to the first case, median and quartiles");
        let mut slowest = 0.0_f64;
        for (name, arguments) in RUNS {
            let (mut bare, mut whole) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                let stamp = folder.path().join("stamp");
                bare.push(until_stamp(Command::new(&child).arg(&stamp), &stamp));
                let mut command = program::command();
                command.arg("--impl").arg(&child).args(arguments).arg("--").arg(&stamp);
                whole.push(until_stamp(&mut command, &stamp));
            }
            bare.sort();
            let own = bare[rounds / 2];
            let start = whole.iter().map(|it| it.saturating_sub(own).as_secs_f64() * 1e3);
            let [median, low, high] = spread(start.collect());
            println!("{name:10} {median:6.2}  ({low:.2} to {high:.2})");
            slowest = slowest.max(median);
        }
        assert!(slowest <= AT_MOST, "{slowest:.2} ms is more than {AT_MOST} ms");
    }

    /// How long after its start a command has the stamp written.
    fn until_stamp(command: &mut Command, stamp: &Path) -> Duration {
        let _ = fs::remove_file(stamp);
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap();
        let written: u64 = fs::read_to_string(stamp).unwrap().parse().unwrap();
        Duration::from_nanos(written) - started
    }
}
