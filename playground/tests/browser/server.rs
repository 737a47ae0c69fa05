//! A web server for `dist/` on the loopback interface, which remembers what it was asked for.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// It serves as long as the test runs.
pub(super) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn start() -> Self {
        let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("dist");
        assert!(dist.join("index.html").is_file(), "run build.sh first");
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let server = Self { port: listener.local_addr().unwrap().port(), asked: Arc::default() };
        let asked = Arc::clone(&server.asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (asked, dist) = (Arc::clone(&asked), dist.clone());
                // A browser opens connections that it does not use at once.
                std::thread::spawn(move || answer(stream, &dist, &asked));
            }
        });
        server
    }

    /// Returns the address of the page.
    pub(super) fn address(&self, fragment: &str) -> String {
        format!("http://127.0.0.1:{}/#{fragment}", self.port)
    }

    /// Returns the paths that were asked for.
    pub(super) fn requests(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, dist: &Path, asked: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    asked.lock().unwrap().push(path.clone());
    let name = if path == "/" { "index.html" } else { path.trim_start_matches('/') };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    let (status, body) = fs::read(dist.join(name)).map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _gone = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}
