//! A headless Chromium, asked over WebDriver.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// The key that an element's reference stands under.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Keys without a letter, as WebDriver names them.
pub(crate) const ESCAPE: &str = "\u{e00c}";
pub(crate) const TAB: &str = "\u{e004}";
pub(crate) const ENTER: &str = "\u{e007}";
pub(crate) const SPACE: &str = " ";

pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one with an empty profile. `None` where there is no Chromium, unless
    /// `CI` is set: there it must be.
    pub(crate) fn start() -> Option<Self> {
        let (Some(driver), Some(chromium)) = (find(&["chromedriver"]), chromium()) else {
            let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
            assert!(!ci, "chromium and chromium-driver are not installed");
            println!("skipped: there is no chromium with its driver");
            return None;
        };
        let mut driver = Command::new(driver)
            .args(["--port=0", "--log-level=SEVERE"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(driver.stdout.take().unwrap());
        let port = said.lines().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("started successfully on port ")?;
            rest.trim_end_matches('.').parse().ok()
        });
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self {
            driver,
            port: port.expect("the driver names its port"),
            session: String::new(),
            _profile: profile,
        };
        let profile = format!("--user-data-dir={}", browser._profile.path().display());
        let answer = browser.ask(
            "POST",
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:loggingPrefs": {"browser": "ALL"},
                "goog:chromeOptions": {
                    "binary": chromium,
                    "args": [
                        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                        "--no-first-run", "--disable-background-networking",
                        "--disable-component-update", "--disable-sync",
                        "--disable-dev-shm-usage", "--window-size=1280,900", profile,
                    ],
                },
            }}}),
        );
        browser.session = answer["sessionId"].as_str().unwrap().to_owned();
        Some(browser)
    }

    /// Goes to a place of a page on the disk.
    pub(crate) fn open(&self, page: &Path, fragment: &str) {
        // The same address but for its fragment would not be loaded again.
        self.command("POST", "url", &json!({"url": "about:blank"}));
        let url = format!("file://{}{fragment}", page.display());
        self.command("POST", "url", &json!({"url": url}));
    }

    /// The value of an expression in the page.
    pub(crate) fn eval(&self, expression: &str) -> Value {
        let script = format!("return ({expression})");
        self.command("POST", "execute/sync", &json!({"script": script, "args": []}))
    }

    pub(crate) fn click(&self, selector: &str) {
        let path = format!("element/{}/click", self.element(selector));
        self.command("POST", &path, &json!({}));
    }

    /// Types into the element that has the focus.
    pub(crate) fn type_keys(&self, keys: &str) {
        let mut actions = Vec::new();
        for key in keys.chars() {
            actions.push(json!({"type": "keyDown", "value": key}));
            actions.push(json!({"type": "keyUp", "value": key}));
        }
        let source = json!({"type": "key", "id": "keyboard", "actions": actions});
        self.command("POST", "actions", &json!({"actions": [source]}));
    }

    /// A command of the DevTools protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.command("POST", "goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// What the console had to say, but for plain messages.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.command("POST", "se/log", &json!({"type": "browser"}));
        let entries = log.as_array().unwrap().iter();
        entries.map(|entry| entry["message"].as_str().unwrap().to_owned()).collect()
    }

    fn element(&self, selector: &str) -> String {
        let using = json!({"using": "css selector", "value": selector});
        self.command("POST", "element", &using)[ELEMENT].as_str().unwrap().to_owned()
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        self.ask(method, &format!("/session/{}/{path}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.exchange(method, path, body).unwrap();
        let value: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(status, 200, "{method} {path} {body}: {value}");
        value["value"].clone()
    }

    fn exchange(&self, method: &str, path: &str, body: &Value) -> std::io::Result<(u16, Vec<u8>)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(rest) = line.strip_prefix("http/1.1 ") {
                status = rest[..3].parse().unwrap();
            } else if let Some(rest) = line.strip_prefix("content-length:") {
                length = rest.trim().parse().unwrap();
            } else if line.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        Ok((status, answer))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium goes with its session, and the driver after it.
        if !self.session.is_empty() {
            let _ = self.exchange("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn chromium() -> Option<PathBuf> {
    find(&["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
}

fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let files = names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
    files.into_iter().find(|file| file.is_file())
}
