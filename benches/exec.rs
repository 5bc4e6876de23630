//! What the exec driver costs, as a ratio to a bare loop over the same command.
//!
//! The command is a small static C program that opens and reads its file and
//! exits 0. The bare loop starts it, reads both its pipes to the end and waits for
//! it, over files that are there already; the driver writes each fixture's
//! document, runs two cases on it, and looks afterwards whether anything was
//! changed. Rounds of both alternate, so that other load meets both; the ratio is
//! the median of those of the rounds.
//!
//! `cargo bench --bench exec` (needs `cc`); `CASES` and `ROUNDS` in the
//! environment change how many.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark reports, or fails")]

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(unix)]
#[path = "../tests/exec_support/mod.rs"]
mod exec_support;
#[cfg(unix)]
mod measure;

#[cfg(unix)]
mod unix {
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use living_conformance::core::{Fixture, Protocol};
    use living_conformance::driver::{Driver, Request};

    use super::exec_support::{Bench, accepted, fixture, operation};
    use super::measure::{compiled, from_environment, spread};

    const CHILD: &str = "#include <fcntl.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) {\n\
          char bytes[4096];\n\
          int file = open(argv[1], O_RDONLY);\n\
          if (file < 0) return 2;\n\
          while (read(file, bytes, sizeof bytes) > 0) {}\n\
          return 0;\n\
        }\n";

    /// How many cases each fixture has.
    const OPERATIONS: usize = 2;

    pub(super) fn main() {
        let cases = from_environment("CASES", 1000);
        let rounds = from_environment("ROUNDS", 9);
        let bench = Bench::new();
        let child = compiled(bench.folder(), CHILD);
        let fixtures: Vec<_> = (0..cases / OPERATIONS)
            .map(|index| {
                fixture(&[(
                    "manifest",
                    "manifest.yaml",
                    &format!("project_id: p{index}\n").repeat(20),
                )])
            })
            .collect();
        for (index, fixture) in fixtures.iter().enumerate() {
            std::fs::write(bench.path(&index.to_string()), &fixture.documents[0].bytes).unwrap();
        }

        println!("{cases} cases, {rounds} rounds; milliseconds a case, median and quartiles");
        for workers in [1, 2] {
            let mut bare = Vec::new();
            let mut driven = Vec::new();
            for round in 0..=rounds {
                let driver = || run_driver(&bench, &child, &fixtures, workers);
                let floor = || run_bare(&bench, &child, cases, workers);
                // Who goes first changes.
                let (with, without) = if round % 2 == 0 {
                    let with = driver();
                    (with, floor())
                } else {
                    let without = floor();
                    (driver(), without)
                };
                // The first round warms up.
                if round > 0 {
                    bare.push(without.as_secs_f64() * 1e3 / cases as f64);
                    driven.push(with.as_secs_f64() * 1e3 / cases as f64);
                }
            }
            let ratios = driven.iter().zip(&bare).map(|(driven, bare)| driven / bare).collect();
            let [bare, driver, ratio] = [bare, driven, ratios].map(told);
            println!("{workers} workers: bare {bare}, driver {driver}, ratio {ratio}");
        }
    }

    fn told(values: Vec<f64>) -> String {
        let [median, low, high] = spread(values);
        format!("{median:.3} ({low:.3} to {high:.3})")
    }

    /// Calls `work` on the indices below `count`, each once, from several threads.
    fn share(
        count: usize,
        workers: usize,
        work: impl Fn(usize, &mut dyn Iterator<Item = usize>) + Sync,
    ) -> Duration {
        let next = AtomicUsize::new(0);
        let started = Instant::now();
        thread::scope(|scope| {
            for worker in 0..workers {
                let (next, work) = (&next, &work);
                scope.spawn(move || {
                    let mut indices = std::iter::from_fn(|| {
                        Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count)
                    });
                    work(worker, &mut indices);
                });
            }
        });
        started.elapsed()
    }

    fn run_bare(bench: &Bench, child: &Path, cases: usize, workers: usize) -> Duration {
        share(cases, workers, |_, indices| {
            for index in indices {
                let file = bench.path(&(index / OPERATIONS).to_string());
                let output = Command::new(child).arg(file).stdin(Stdio::null()).output().unwrap();
                assert!(output.status.success());
            }
        })
    }

    fn run_driver(bench: &Bench, child: &Path, fixtures: &[Fixture], workers: usize) -> Duration {
        let started = Instant::now();
        let driver = bench.driver(child).unwrap();
        let spec = operation(&["{manifest}"]);
        let protocol = Protocol::new(0, 4);
        share(fixtures.len(), workers, |worker, indices| {
            let mut connection = driver.connect(worker).unwrap();
            for fixture in indices.map(|index| &fixtures[index]) {
                for operation in ["lenient", "strict"] {
                    let request =
                        Request { fixture, variant: None, operation, spec: &spec, protocol };
                    assert_eq!(connection.run(&request).unwrap().outcome, accepted());
                }
            }
        });
        drop(driver);
        started.elapsed()
    }
}
