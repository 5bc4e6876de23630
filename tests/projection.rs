//! The file of the current receipt: whatever happens to those who write it, it
//! holds one whole receipt.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use living_conformance::certify::{
    Claims, EvidenceKind, Identity, Projected, Projection, Receipt, SuiteRef,
};
use living_conformance::data::Fault;

/// Names the file that the writer of the killing test writes.
const WRITE_TO: &str = "PROJECTION_TEST_WRITE_TO";

fn receipt_of(project: &str, tests: u64) -> Receipt {
    let identity = |text: &str| Identity::of_bytes(text.as_bytes());
    Receipt::new(Claims {
        project: project.to_owned(),
        project_revision: identity("revision"),
        subject: identity("subject"),
        suite: SuiteRef {
            id: "suite".to_owned(),
            version: "0.1.0".to_owned(),
            revision: identity("suite"),
        },
        tests,
        result: identity(&tests.to_string()),
        evidence: [(EvidenceKind::TEST_RUNNER, identity("runner"))].into(),
    })
    .unwrap()
}

fn receipt(tests: u64) -> Receipt {
    receipt_of("project", tests)
}

fn write(path: &Path, receipt: &Receipt) -> Result<Projected, &'static str> {
    let code = |fault: living_conformance::certify::ProjectionFault| fault.code();
    Projection::open(path, &receipt.claims().project).map_err(code)?.write(receipt).map_err(code)
}

/// A directory with the path of a receipt in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("current.json");
    (directory, path)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_receipt_is_written_whole_and_nothing_is_left_behind() {
    let (directory, path) = place();
    for tests in [1, 2] {
        assert_eq!(write(&path, &receipt(tests)), Ok(Projected::Written));
        assert_eq!(fs::read(&path).unwrap(), receipt(tests).canonical());
        assert_eq!(names(directory.path()), ["current.json"]);
    }
}

#[test]
fn the_very_same_receipt_does_not_touch_the_file() {
    for end in ["", "\n"] {
        let (_directory, path) = place();
        fs::write(&path, [receipt(1).canonical(), end.as_bytes()].concat()).unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        fs::File::open(&path).unwrap().set_modified(long_ago).unwrap();
        let before = fs::metadata(&path).unwrap();
        assert_eq!(write(&path, &receipt(1)), Ok(Projected::Unchanged));
        let after = fs::metadata(&path).unwrap();
        assert_eq!(after.modified().unwrap(), long_ago);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            assert_eq!((before.ino(), before.ctime_nsec()), (after.ino(), after.ctime_nsec()));
        }
        assert_eq!(before.len(), after.len());
    }
}

#[test]
fn what_is_no_receipt_of_the_project_stays_as_it_is() {
    let other = String::from_utf8(receipt_of("other", 1).canonical().to_vec()).unwrap();
    let own = String::from_utf8(receipt(1).canonical().to_vec()).unwrap();
    let cases = [
        (String::new(), "receipt.projection.invalid"),
        ("{}".to_owned(), "receipt.projection.invalid"),
        (own.replace(':', ": "), "receipt.projection.invalid"),
        (own[..own.len() - 1].to_owned(), "receipt.projection.invalid"),
        (format!("{{\"receipt\":{own}}}"), "receipt.projection.invalid"),
        ("x".repeat(2_000_000), "receipt.projection.invalid"),
        (other, "receipt.projection.other-project"),
    ];
    for (text, code) in cases {
        let (directory, path) = place();
        fs::write(&path, &text).unwrap();
        assert_eq!(write(&path, &receipt(1)), Err(code), "{text:.40}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(directory.path()), ["current.json"]);
    }
    let (_directory, path) = place();
    let fault = Projection::open(&path, "project").unwrap().write(&receipt_of("other", 1));
    assert_eq!(fault.unwrap_err().code(), "receipt.projection.other-project");
    assert!(!path.exists());
}

#[test]
fn places_that_no_file_can_be_at_are_refused() {
    let (directory, path) = place();
    assert_eq!(write(Path::new("/"), &receipt(1)), Err("receipt.projection.no-name"));
    let nowhere = directory.path().join("none/current.json");
    assert_eq!(write(&nowhere, &receipt(1)), Err("receipt.projection.no-directory"));
    fs::create_dir(&path).unwrap();
    assert_eq!(write(&path, &receipt(1)), Err("receipt.projection.not-a-file"));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_wherever_they_lead() {
    let (directory, path) = place();
    let target = directory.path().join("target.json");
    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert_eq!(write(&path, &receipt(1)), Err("receipt.projection.link"));
    fs::write(&target, receipt(1).canonical()).unwrap();
    assert_eq!(write(&path, &receipt(2)), Err("receipt.projection.link"));
    assert_eq!(fs::read(&target).unwrap(), receipt(1).canonical());
    // Nor is a link in the place of the temporary file.
    let (directory, path) = place();
    let outside = directory.path().join("outside");
    fs::write(&outside, "keep").unwrap();
    std::os::unix::fs::symlink(&outside, directory.path().join(".current.json.partial")).unwrap();
    assert_eq!(write(&path, &receipt(1)), Ok(Projected::Written));
    assert_eq!(fs::read_to_string(&outside).unwrap(), "keep");
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let (_directory, path) = place();
    let new = Projection::open(&path, "project").unwrap();
    write(&path, &receipt(1)).unwrap();
    assert_eq!(new.write(&receipt(2)).unwrap_err().code(), "receipt.projection.changed");
    assert_eq!(fs::read(&path).unwrap(), receipt(1).canonical());
    // Somebody else who wrote the same has done no harm.
    assert_eq!(new.write(&receipt(1)).unwrap(), Projected::Unchanged);

    let existing = Projection::open(&path, "project").unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(existing.write(&receipt(2)).unwrap_err().code(), "receipt.projection.changed");
    assert!(!path.exists());
}

#[test]
fn of_many_writers_at_a_time_one_wins() {
    for _ in 0..20 {
        let (directory, path) = place();
        let results: Vec<(u64, Result<Projected, _>)> = std::thread::scope(|scope| {
            let writers: Vec<_> =
                (1..=8).map(|tests| (tests, Projection::open(&path, "project").unwrap())).collect();
            let threads: Vec<_> = writers
                .into_iter()
                .map(|(tests, writer)| scope.spawn(move || (tests, writer.write(&receipt(tests)))))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut winners = results.iter().filter(|(_, result)| result.is_ok());
        let (tests, _) = winners.next().unwrap();
        assert!(winners.next().is_none());
        assert_eq!(fs::read(&path).unwrap(), receipt(*tests).canonical());
        assert_eq!(names(directory.path()), ["current.json"]);
        let losers = results.iter().filter_map(|(_, result)| result.as_ref().err());
        assert!(losers.into_iter().all(|fault| fault.code() == "receipt.projection.changed"));
    }
}

/// Not a test: what the next one starts and kills.
#[test]
#[ignore = "writes until it is killed"]
fn writer() {
    let Some(path) = std::env::var_os(WRITE_TO).map(PathBuf::from) else { return };
    for tests in (1..=2).cycle() {
        // The other writer may have been faster.
        if let Err(code) = write(&path, &receipt(tests)) {
            assert_eq!(code, "receipt.projection.changed");
        }
    }
}

/// A number that is different each time, from the identity of the ones before.
fn scatter(seed: &mut Identity) -> u64 {
    *seed = Identity::of_bytes(seed.as_str().as_bytes());
    u64::from_str_radix(&seed.hex()[..8], 16).unwrap()
}

#[test]
fn a_writer_that_is_killed_at_any_moment_leaves_one_whole_receipt() {
    let (directory, path) = place();
    write(&path, &receipt(1)).unwrap();
    let whole = [receipt(1).canonical().to_vec(), receipt(2).canonical().to_vec()];
    let mut seed = Identity::of_bytes(b"moments");
    let (mut seen, mut interrupted) = ([false; 2], 0);
    for _ in 0..300 {
        let mut writers: Vec<_> = (0..2)
            .map(|_| {
                Command::new(std::env::current_exe().unwrap())
                    .args(["writer", "--exact", "--ignored", "--test-threads=1"])
                    .env(WRITE_TO, &path)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        std::thread::sleep(Duration::from_micros(2_000 + scatter(&mut seed) % 12_000));
        for writer in &mut writers {
            assert_eq!(writer.try_wait().unwrap(), None, "a writer ended by itself");
            writer.kill().unwrap();
        }
        for mut writer in writers {
            writer.wait().unwrap();
        }
        let found = fs::read(&path).unwrap();
        let which = whole.iter().position(|whole| *whole == found);
        seen[which.unwrap()] = true;
        interrupted += usize::from(names(directory.path()).len() > 1);
    }
    assert_eq!(seen, [true, true], "the writers wrote");
    assert!(interrupted > 0, "no writer was killed while it wrote");
    // What the killed left behind is in nobody's way.
    assert_eq!(write(&path, &receipt(3)), Ok(Projected::Written));
    assert_eq!(names(directory.path()), ["current.json"]);
}
