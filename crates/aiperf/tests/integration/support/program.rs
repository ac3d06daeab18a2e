//! The program as a child process in a folder of its own, its output kept in files so that no pipe can fill up.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use aiperf_sim::Sim;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::artifacts::Artifacts;
use super::terminal::Terminal;
use super::wait_for;

/// Where runs put their files, within the folder of the test.
const OUT: &str = "out";
const STDIN: &str = "stdin";

/// A command line in the making.
pub(crate) struct Program {
    folder: TempDir,
    words: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    /// Commands of the shell that becomes the program, if one does.
    shell: Option<String>,
}

impl Program {
    /// The bare program in an empty folder.
    pub(crate) fn new(words: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, words: Vec::new(), variables: Vec::new(), shell: None }.with(words)
    }

    /// `aiperf profile` with its files in a known place. Metrics pages are not scraped: servers of tests would count these requests
    /// too.
    pub(crate) fn profile(words: &str) -> Self {
        Self::new(&format!("profile --artifact-dir {OUT} --no-server-metrics")).with(words)
    }

    /// `aiperf profile` against a simulator of this process.
    pub(crate) fn against(sim: &Sim, words: &str) -> Self {
        Self::profile(&format!("--url {} --model test-model --tokenizer builtin --isl 20", sim.url())).with(words)
    }

    /// The same, with data from a file of JSON lines, and everything written that there is to write.
    pub(crate) fn replaying(sim: &Sim, rows: &[serde_json::Value], words: &str) -> Self {
        let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
        Self::profile(&format!("--url {} --model test-model --tokenizer builtin --input-file rows.jsonl", sim.url()))
            .with("--export-level raw")
            .with(words)
            .file("rows.jsonl", &lines.join("\n"))
    }

    /// More words, separated by blanks.
    pub(crate) fn with(mut self, words: &str) -> Self {
        self.words.extend(words.split_whitespace().map(OsString::from));
        self
    }

    /// One more word, whatever is in it.
    pub(crate) fn word(mut self, word: impl Into<OsString>) -> Self {
        self.words.push(word.into());
        self
    }

    /// A variable in the environment, which is empty but for `HOME`.
    pub(crate) fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// A file in the folder in which the program will run.
    pub(crate) fn file(self, name: &str, contents: &str) -> Self {
        self.bytes(name, contents.as_bytes())
    }

    /// The same, perhaps in a folder of its own, and whatever is in it.
    pub(crate) fn bytes(self, name: &str, contents: &[u8]) -> Self {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    /// Lines for it to read.
    pub(crate) fn input(self, lines: &str) -> Self {
        self.file(STDIN, lines)
    }

    /// Commands of a shell that then becomes the program: limits, ignored signals, redirections by `exec >FILE`. They can use
    /// only what is built into the shell.
    pub(crate) fn after(mut self, commands: &str) -> Self {
        self.shell = Some(commands.to_owned());
        self
    }

    fn command(&self) -> Command {
        let program = env!("CARGO_BIN_EXE_aiperf");
        let Some(commands) = &self.shell else { return Command::new(program) };
        let mut shell = Command::new("/bin/sh");
        shell.args(["-e", "-c", &format!("{commands}\nexec \"$0\" \"$@\""), program]);
        shell
    }

    pub(crate) fn start(self) -> Running {
        let output = |name: &str| Stdio::from(File::create(self.folder.path().join(name)).unwrap());
        let child = self
            .command()
            .args(&self.words)
            .current_dir(&self.folder)
            .env_clear()
            .env("HOME", self.folder.path())
            .envs(self.variables)
            .stdin(File::open(self.folder.path().join(STDIN)).map_or_else(|_| Stdio::null(), Stdio::from))
            .stdout(output("stdout"))
            .stderr(output("stderr"))
            .spawn()
            .unwrap();
        Running { child, folder: self.folder }
    }

    /// Starts it on a terminal of its own, which shows what it prints.
    pub(crate) fn start_on(self, terminal: &Terminal) -> Running {
        let end = || Stdio::from(terminal.end_of_program());
        for name in ["stdout", "stderr"] {
            File::create(self.folder.path().join(name)).unwrap();
        }
        let child = Command::new("setsid")
            .args(["--ctty", "--", env!("CARGO_BIN_EXE_aiperf")])
            .args(&self.words)
            .current_dir(&self.folder)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm-256color")
            .envs(self.variables)
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        Running { child, folder: self.folder }
    }

    /// Runs to the end, whatever that is.
    pub(crate) fn run(self) -> Ended {
        self.start().end()
    }

    /// Runs to an end that must be a good one.
    pub(crate) fn succeed(self) -> Artifacts {
        let ended = self.run();
        assert_eq!(ended.code, Some(0), "stdout: {}\nstderr: {}", ended.stdout, ended.stderr);
        ended.artifacts
    }
}

/// A started program. Dropping it kills it.
pub(crate) struct Running {
    child: Child,
    folder: TempDir,
}

impl Running {
    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join(OUT)
    }

    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(self.folder.path().join("stdout")).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(self.folder.path().join("stderr")).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn end(mut self) -> Ended {
        let status = wait_for("the program to end", || self.child.try_wait().unwrap());
        // The folder outlives this handle: it goes on with what the program left in it.
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        Ended {
            code: status.code(),
            stdout: text("stdout"),
            stderr: text("stderr"),
            artifacts: Artifacts::new(folder, Path::new(OUT)),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has usually ended, and then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program that has ended.
pub(crate) struct Ended {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) artifacts: Artifacts,
}

impl Ended {
    /// It must have failed, with one plain sentence that has these words in it and nothing written.
    pub(crate) fn was_refused_with(&self, words: &[&str]) {
        assert_eq!(self.code, Some(1), "{}", self.stderr);
        let sentence = self.stderr.strip_prefix("error: ").unwrap_or_else(|| panic!("no error in {:?}", self.stderr));
        assert_eq!(sentence.trim_end().lines().count(), 1, "{sentence}");
        let parts: Vec<&str> = sentence.trim_end().split(": ").collect();
        let distinct: HashSet<&&str> = parts.iter().collect();
        assert_eq!(distinct.len(), parts.len(), "something is said twice: {sentence}");
        for word in words {
            assert!(sentence.contains(word), "{word:?} is not in {sentence:?}");
        }
        assert_eq!(self.stdout, "");
        assert!(!self.artifacts.exists(), "something was written");
    }
}

/// Commands as a user would type them, in a folder, with this program as `aiperf`. They end at the first that fails.
pub(crate) fn shell(folder: &Path, commands: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_aiperf")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.display());
    let mut shell = Command::new("/bin/sh");
    shell.args(["-e", "-c", commands]).current_dir(folder).env_clear().env("HOME", folder).env("PATH", path);
    shell.stdin(Stdio::null()).output().unwrap()
}
