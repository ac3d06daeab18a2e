//! A running process plugin: start, handshake, messages, end.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::ProcessCommand;
use serde_json::{Map, Value, json};

use super::error::PluginError;
use super::lines::{self, PluginLine};
use super::process_group;

/// The version of the protocol that this program speaks.
pub const PROTOCOL: u64 = 1;
/// Messages that wait to be written.
const WAITING: usize = 64;
/// How long a program may take to end after its stdin was closed.
const GRACE: Duration = Duration::from_secs(2);
/// Pause between two looks at something that another thread or process does.
const PAUSE: Duration = Duration::from_millis(2);
const QUOTED_CHARS: usize = 120;

/// What a program says about itself in the handshake, apart from its version.
pub type Hello = Map<String, Value>;

/// A program that is asked for something. It is started again if it ends, as often as its pack allows.
#[derive(Debug)]
pub struct PluginClient {
    category: &'static str,
    name: String,
    command: ProcessCommand,
    running: Option<PluginProcess>,
    restarts_left: usize,
    pub hello: Hello,
}

#[derive(Debug)]
struct PluginProcess {
    child: Child,
    messages: Option<SyncSender<Vec<u8>>>,
    answers: Receiver<PluginLine>,
    stderr: Option<JoinHandle<String>>,
    /// Bytes that the program wrote.
    written: usize,
}

impl PluginClient {
    /// Starts the program and shakes hands.
    pub fn start(category: &'static str, name: &str, command: &ProcessCommand) -> Result<Self, PluginError> {
        let mut client = Self {
            category,
            name: name.to_owned(),
            command: command.clone(),
            running: None,
            restarts_left: command.restarts,
            hello: Hello::new(),
        };
        client.open()?;
        Ok(client)
    }

    /// The plugin in messages.
    pub fn label(&self) -> String {
        format!("{}:{}", self.category, self.name)
    }

    pub fn limit(&self) -> Duration {
        self.command.timeout
    }

    fn open(&mut self) -> Result<(), PluginError> {
        self.running = Some(PluginProcess::spawn(&self.command, self.label())?);
        let hello = json!({
            "type": "hello", "protocol": PROTOCOL, "category": self.category, "name": self.name,
            "aiperf": env!("CARGO_PKG_VERSION"),
        });
        self.send(&hello)?;
        let answer = self.receive()?;
        if answer["type"] != "hello" {
            return Err(unexpected(&answer, "hello"));
        }
        if answer["protocol"] != PROTOCOL {
            return Err(PluginError::Version { theirs: answer["protocol"].to_string(), ours: PROTOCOL });
        }
        if let Value::Object(hello) = answer {
            self.hello = hello;
        }
        Ok(())
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) -> Result<(), PluginError> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.send_line(line)
    }

    /// Sends a message that is a line already.
    pub fn send_line(&mut self, line: Vec<u8>) -> Result<(), PluginError> {
        let limit = self.command.timeout;
        let Some(running) = &mut self.running else { return Err(not_running()) };
        running.send(line, limit)
    }

    /// The next message of the program.
    pub fn receive(&mut self) -> Result<Value, PluginError> {
        let Some(running) = &mut self.running else { return Err(not_running()) };
        running.receive(&self.command)
    }

    /// Sends a message and returns the answer. If the program ended, it is started again, and is asked again.
    pub fn request(&mut self, message: &Value) -> Result<Value, PluginError> {
        loop {
            let answer = match &self.running {
                Some(_) => self.send(message).and_then(|()| self.receive()),
                None => self.open().and_then(|()| self.send(message)).and_then(|()| self.receive()),
            };
            match answer {
                Err(error) if error.is_worth_a_restart() && self.restarts_left > 0 => {
                    self.restarts_left -= 1;
                    self.running = None;
                    log::info!("plugin {}: {error}; starting it again", self.label());
                }
                Err(error) => {
                    self.running = None;
                    return Err(error);
                }
                answer => return answer,
            }
        }
    }
}

/// The answer, if it has the wanted type.
pub(super) fn expect(answer: Value, wanted: &'static str) -> Result<Value, PluginError> {
    if answer["type"] == wanted { Ok(answer) } else { Err(unexpected(&answer, wanted)) }
}

fn unexpected(answer: &Value, wanted: &'static str) -> PluginError {
    PluginError::Unexpected { got: quoted(&answer.to_string()), wanted }
}

fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_CHARS).collect()
}

fn not_running() -> PluginError {
    PluginError::Ended { status: "it is not running".to_owned(), said: String::new() }
}

impl PluginProcess {
    fn spawn(command: &ProcessCommand, label: String) -> Result<Self, PluginError> {
        let failed = |reason| PluginError::Start { program: command.program.display().to_string(), reason };
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).current_dir(&command.folder);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        process_group::lead(&mut process);
        let mut child = process.spawn().map_err(failed)?;
        limit_memory(&child, command.max_memory_mb);
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(not_running());
        };
        let answers = lines::lines(stdout, command.max_line_bytes).map_err(failed)?;
        let stderr = lines::log_stderr(stderr, label).map_err(failed)?;
        let (messages, waiting) = sync_channel::<Vec<u8>>(WAITING);
        let writer = thread::Builder::new().name("plugin-stdin".to_owned()).spawn(move || {
            for message in waiting {
                if stdin.write_all(&message).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        writer.map_err(failed)?;
        Ok(Self { child, messages: Some(messages), answers, stderr: Some(stderr), written: 0 })
    }

    fn send(&mut self, mut line: Vec<u8>, limit: Duration) -> Result<(), PluginError> {
        let deadline = Mono::now() + Nanos::from(limit);
        loop {
            let Some(messages) = &self.messages else { return Err(not_running()) };
            match messages.try_send(line) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(self.ended()),
                Err(TrySendError::Full(_)) if Mono::now() >= deadline => return Err(PluginError::TimedOut(limit)),
                Err(TrySendError::Full(unsent)) => line = unsent,
            }
            thread::sleep(PAUSE);
        }
    }

    fn receive(&mut self, command: &ProcessCommand) -> Result<Value, PluginError> {
        let line = match self.answers.recv_timeout(command.timeout) {
            Ok(PluginLine::Text(line)) => line,
            Ok(PluginLine::TooLong) => return Err(PluginError::LineTooLong(command.max_line_bytes)),
            Err(RecvTimeoutError::Timeout) => return Err(PluginError::TimedOut(command.timeout)),
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
        };
        self.written += line.len();
        if self.written >> 20 >= command.max_output_mb {
            return Err(PluginError::TooMuch(command.max_output_mb));
        }
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        if !message["type"].is_string() {
            return Err(PluginError::NotAMessage(quoted(&String::from_utf8_lossy(&line))));
        }
        if message["type"] == "error" {
            return Err(PluginError::Reported(message["message"].as_str().unwrap_or("no message").to_owned()));
        }
        Ok(message)
    }

    /// Why a program whose output ended has ended.
    fn ended(&mut self) -> PluginError {
        self.messages = None;
        let status = self.wait(GRACE).unwrap_or_else(|| "it closed its output".to_owned());
        self.kill();
        let last = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let said = if last.is_empty() { String::new() } else { format!("; its last line on stderr: {last}") };
        PluginError::Ended { status, said }
    }

    /// The exit status, if the program ends in this time.
    fn wait(&mut self, limit: Duration) -> Option<String> {
        let deadline = Mono::now() + Nanos::from(limit);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Ok(None) if Mono::now() < deadline => thread::sleep(PAUSE),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Ends the program and what it started.
    fn kill(&mut self) {
        process_group::kill(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for PluginProcess {
    fn drop(&mut self) {
        // Its stdin ends, which asks it to end.
        self.messages = None;
        self.wait(GRACE);
        self.kill();
    }
}

#[cfg(target_os = "linux")]
fn limit_memory(child: &Child, megabytes: usize) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let most = Some((megabytes as u64) << 20);
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // A program that ended already needs no limit.
        let _ = prlimit(Some(pid), Resource::As, Rlimit { current: most, maximum: most });
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: &Child, _: usize) {}
