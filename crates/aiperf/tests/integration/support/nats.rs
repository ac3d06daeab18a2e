//! A NATS server with `JetStream`, in a folder of its own.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::wait_for;

/// Dropping it kills the server.
pub(crate) struct NatsServer {
    child: Child,
    port: u16,
    folder: TempDir,
    words: Vec<String>,
}

impl NatsServer {
    /// `None`, with a note, if the program is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// The same with more options.
    pub(crate) fn start_with(words: &[&str]) -> Option<Self> {
        if !aiperf_test_tools::available(&[&["nats-server", "--version"]]) {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (folder, words) = (tempfile::tempdir().unwrap(), words.iter().map(|word| (*word).to_owned()).collect());
        let child = spawn(port, &folder, &words);
        let server = Self { child, port, folder, words };
        server.wait();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Whether any of its files has this text.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if has(&path, text.as_bytes()) {
                    return true;
                }
            }
        }
        false
    }

    /// Kills it without a word and starts it again with the same files.
    pub(crate) fn kill_and_restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.child = spawn(self.port, &self.folder, &self.words);
        self.wait();
    }

    fn wait(&self) {
        wait_for("nats-server to listen", || TcpStream::connect(("127.0.0.1", self.port)).ok());
    }
}

fn has(path: &Path, text: &[u8]) -> bool {
    std::fs::read(path).unwrap().windows(text.len()).any(|window| window == text)
}

fn spawn(port: u16, folder: &TempDir, words: &Vec<String>) -> Child {
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(folder.path()).args(words);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
