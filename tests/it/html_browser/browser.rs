//! A headless Chromium, driven over ChromeDriver: the few requests of the WebDriver protocol that these tests make.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Keeps Chromium from asking for anything itself, so that every request is one of the page.
const ARGUMENTS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser.
    pub(super) fn start() -> Self {
        let driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut driver = driver.expect("chromedriver is installed: apt-get install chromium chromium-driver");
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = { lines }.find_map(|line| line.strip_suffix('.')?.split("on port ").nth(1)?.parse().ok());
        let profile = TempDir::new().unwrap();
        let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let port = port.expect("chromedriver says which port it serves");
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let started = browser.request("POST", "/session", &capabilities);
        started["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        browser
    }

    /// Opens a page from disk.
    pub(super) fn open(&self, page: &Path) {
        self.command("/url", &json!({"url": format!("file://{}", page.display())}));
    }

    /// Runs JavaScript and returns its result.
    pub(super) fn run(&self, script: &str) -> Value {
        self.command("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Clicks the element that `selector` finds.
    pub(super) fn click(&self, selector: &str) {
        self.command(&format!("/element/{}/click", self.find(selector)), &json!({}));
    }

    /// Types into the element that `selector` finds.
    pub(super) fn type_into(&self, selector: &str, text: &str) {
        self.command(&format!("/element/{}/value", self.find(selector)), &json!({"text": text}));
    }

    /// Presses and releases a key, wherever the focus is.
    pub(super) fn press(&self, key: &str) {
        let actions = [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        self.command("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// Returns what the browser logged: `browser` for the console, `performance` for requests.
    pub(super) fn log(&self, kind: &str) -> Vec<Value> {
        self.command("/se/log", &json!({"type": kind})).as_array().unwrap().clone()
    }

    /// Sends a command of the DevTools protocol.
    pub(super) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.command("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Sets the size of the window and the colours that the user prefers.
    pub(super) fn look(&self, (width, height): (u32, u32), colours: &str) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
        let features = json!([{"name": "prefers-color-scheme", "value": colours}]);
        self.devtools("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// Saves what the window shows.
    pub(super) fn screenshot(&self, name: &str) {
        let image = self.request("GET", &format!("/session/{}/screenshot", self.session), &Value::Null);
        let image = STANDARD.decode(image.as_str().unwrap()).unwrap();
        std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), image).unwrap();
    }

    fn find(&self, selector: &str) -> String {
        let found = self.command("/element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.request("POST", &format!("/session/{}{path}", self.session), body)
    }

    /// Sends a request and returns the value of the answer.
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while answer.read_line(&mut line).unwrap() > "\r\n".len() {
            let header = line.to_lowercase();
            length = header.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap());
            line.clear();
        }
        let mut content = vec![0; length];
        answer.read_exact(&mut content).unwrap();
        let mut answer: Value = serde_json::from_slice(&content).unwrap();
        let value = answer["value"].take();
        assert!(value.get("error").is_none(), "{method} {path}: {value}");
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Closes the browser; after a failed start there is none.
        if !self.session.is_empty() && !std::thread::panicking() {
            self.request("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ended_anyway = self.driver.kill();
        let _ended_anyway = self.driver.wait();
    }
}
