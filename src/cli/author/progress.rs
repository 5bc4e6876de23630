//! What is shown while documents are made smaller: a line that changes on a terminal,
//! and a line now and then where it takes long elsewhere.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::counted::counted;
use crate::report::escape;
use crate::settings::Surroundings;

/// How often the line on a terminal is drawn at most.
const DRAWN: Duration = Duration::from_millis(100);
/// How long there is silence where there is no terminal.
const SILENCE: Duration = Duration::from_secs(10);

/// How far a search is, as whoever waits for it is told.
pub(super) struct Progress {
    out: Box<dyn Write>,
    live: bool,
    width: usize,
    whole: usize,
    left: usize,
    tries: usize,
    told: Instant,
    /// How many columns the line has now.
    shown: usize,
}

impl Progress {
    /// Tells of documents of so many bytes on standard error.
    pub(super) fn new(surroundings: &Surroundings, whole: usize) -> Self {
        let Surroundings { stderr_is_terminal, ci, dumb, .. } = *surroundings;
        let out = Box::new(anstream::stderr());
        Self::to(out, stderr_is_terminal && !ci && !dumb, surroundings.width(), whole)
    }

    fn to(out: Box<dyn Write>, live: bool, width: usize, whole: usize) -> Self {
        let told = Instant::now();
        Self { out, live, width, whole, left: whole, tries: 0, told, shown: 0 }
    }

    /// A candidate is tried: it is told first, so that one that hangs is known.
    pub(super) fn begin(&mut self, now: Instant) {
        self.tries += 1;
        let pause = if self.live { DRAWN } else { SILENCE };
        if now.duration_since(self.told) >= pause {
            self.told = now;
            // Whoever closed standard error does not want to know.
            let _ = self.draw();
        }
    }

    /// A candidate of so many bytes will do.
    pub(super) fn smaller(&mut self, bytes: usize) {
        self.left = bytes;
    }

    fn draw(&mut self) -> io::Result<()> {
        let tries = counted(self.tries, "candidate");
        let line = format!("{} of {} bytes still show it, {tries} tried", self.left, self.whole);
        if !self.live {
            return writeln!(self.out, "{line}");
        }
        // The last column stays free: some terminals wrap when it is written.
        let line = escape::clamped(&line, self.width.saturating_sub(1));
        let width = escape::width(&line);
        let rest = " ".repeat(self.shown.saturating_sub(width));
        self.shown = width;
        write!(self.out, "\r{line}{rest}")?;
        self.out.flush()
    }

    /// Takes the line away.
    pub(super) fn end(mut self) {
        if self.shown > 0 {
            let _ = write!(self.out, "\r{}\r", " ".repeat(self.shown));
            let _ = self.out.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn told(live: bool, seconds: u64) -> String {
        let shared = Shared::default();
        let mut progress = Progress::to(Box::new(shared.clone()), live, 80, 300);
        let start = progress.told;
        for second in 0..seconds {
            progress.begin(start + Duration::from_secs(second));
            progress.smaller(300 - usize::try_from(second).unwrap());
        }
        progress.end();
        let bytes = shared.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn elsewhere_than_on_a_terminal_only_what_takes_long_is_told() {
        assert_eq!(told(false, 9), "");
        assert_eq!(
            told(false, 25),
            "291 of 300 bytes still show it, 11 candidates tried\n\
             281 of 300 bytes still show it, 21 candidates tried\n"
        );
    }

    #[test]
    fn on_a_terminal_there_is_one_line_and_it_is_taken_away() {
        let text = told(true, 3);
        assert!(text.starts_with("\r300 of 300 bytes still show it, 2 candidates tried"), "{text}");
        assert!(text.ends_with(" \r") && !text.contains('\n'), "{text:?}");
    }
}
