//! The one line that changes while a run goes on.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::super::{escape, prose};

/// How often the line is drawn at most.
const INTERVAL: Duration = Duration::from_millis(100);

/// Counts, and draws what it counts.
#[derive(Debug)]
pub(super) struct Live {
    planned: usize,
    done: usize,
    failed: usize,
    started: Instant,
    drawn: Option<Instant>,
    /// How many columns the line has now.
    shown: usize,
    width: usize,
}

impl Live {
    pub(super) fn new(planned: usize, width: usize) -> Self {
        let started = Instant::now();
        Self { planned, done: 0, failed: 0, started, drawn: None, shown: 0, width }
    }

    pub(super) fn count(&mut self, failed: bool) {
        self.done += 1;
        self.failed += usize::from(failed);
    }

    /// Draws the line again if it is time to.
    pub(super) fn draw(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let now = Instant::now();
        if self.drawn.is_some_and(|drawn| now.duration_since(drawn) < INTERVAL) {
            return Ok(());
        }
        self.drawn = Some(now);
        // The last column stays free: some terminals wrap when it is written.
        let columns = self.width.saturating_sub(1);
        let line = escape::clamped(&self.line(now.duration_since(self.started)), columns);
        let width = escape::width(&line);
        let rest = " ".repeat(self.shown.saturating_sub(width));
        self.shown = width;
        write!(out, "\r{line}{rest}")?;
        out.flush()
    }

    /// Takes the line away. With spaces: that works without escape codes, too.
    pub(super) fn clear(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.shown == 0 {
            return Ok(());
        }
        write!(out, "\r{}\r", " ".repeat(self.shown))?;
        self.shown = 0;
        self.drawn = None;
        out.flush()
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn line(&self, elapsed: Duration) -> String {
        let mut line =
            format!("{}/{}, {} failed", self.done, prose::count(self.planned, "case"), self.failed);
        let seconds = elapsed.as_secs_f64();
        if self.done > 0 && seconds > 0.0 {
            let rate = self.done as f64 / seconds;
            let left = self.planned.saturating_sub(self.done) as f64 / rate;
            let left = prose::duration((left.ceil() * 1e6) as u64);
            line.push_str(&format!(", {rate:.0} a second, {left} left"));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_far_it_is() {
        let mut live = Live::new(400, 80);
        assert_eq!(live.line(Duration::ZERO), "0/400 cases, 0 failed");
        for n in 0..100 {
            live.count(n % 50 == 0);
        }
        assert_eq!(
            live.line(Duration::from_secs(2)),
            "100/400 cases, 2 failed, 50 a second, 6 s left"
        );
    }

    #[test]
    fn it_leaves_nothing_behind_and_is_not_drawn_too_often() {
        let mut live = Live::new(400, 20);
        let mut out = Vec::new();
        live.clear(&mut out).unwrap();
        assert!(out.is_empty());
        live.draw(&mut out).unwrap();
        live.draw(&mut out).unwrap();
        assert_eq!(String::from_utf8_lossy(&out), "\r0/400 cases, 0 fai…");
        live.clear(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with(&format!("\r{}\r", " ".repeat(19))), "{text:?}");
    }
}
