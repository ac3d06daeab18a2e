//! One scenario from its servers and files to its findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::authority::Authority;
use crate::body;
use crate::check::{self, Findings};
use crate::command::{Action, Command, Moment};
use crate::expectation::{Expectation, Validate};
use crate::program::{Program, shell};
use crate::scenario::{KEY, Scenario};
use crate::server::ScriptedServer;
use crate::step::ServerScript;

/// Where runs put their files.
const OUT: &str = "out";
/// The most that a scenario waits for something other than the end of a program.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(5);

/// Options of every run that a scenario does not set itself. A later part of the line would be refused as a second value.
const USUAL: [(&str, &str); 12] = [
    ("--url", "${url}"),
    ("--model", "lab"),
    ("--tokenizer", "builtin"),
    ("--isl", "8"),
    ("--streaming", ""),
    ("--concurrency", "2"),
    ("--request-count", "4"),
    ("--request-timeout-seconds", "60"),
    ("--workers-max", "1"),
    ("--artifact-dir", OUT),
    ("--api-key", KEY),
    // The scripts of servers do not expect requests for metrics pages.
    ("--no-server-metrics", ""),
];

/// What all trials share.
#[derive(Debug)]
pub(crate) struct TrialSetup {
    pub(crate) binary: PathBuf,
    pub(crate) authority: Authority,
}

struct Trial<'a> {
    bench: &'a TrialSetup,
    folder: &'a Path,
    server: ScriptedServer,
    other: Option<ScriptedServer>,
    background: Option<(Command, Program)>,
    started: usize,
    findings: Findings,
}

/// Runs a scenario in this folder; the findings are the differences from what it expects.
pub(crate) fn run(scenario: &Scenario, bench: &TrialSetup, folder: &Path) -> anyhow::Result<Vec<String>> {
    let start = |script: &ServerScript| -> anyhow::Result<ScriptedServer> {
        let tls = bench.authority.server(script.protocol, &script.certificate)?;
        ScriptedServer::start(script, tls).context("a scripted server does not start")
    };
    let server = {
        let other = scenario.other.as_ref().map(start).transpose()?;
        let script = with_other(&scenario.server, other.as_ref());
        (start(&script)?, other)
    };
    fs::write(folder.join("ca.pem"), bench.authority.pem())?;
    for (name, contents) in &scenario.files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, body::bytes(contents)?)?;
    }
    let _disk = scenario.disk.as_ref().map(|size| Disk::mount(folder, size)).transpose()?;
    let mut trial = Trial {
        bench,
        folder,
        server: server.0,
        other: server.1,
        background: None,
        started: 0,
        findings: Findings::default(),
    };
    match &scenario.expect {
        Some(expect) => {
            let aiperf = format!("${{profile}} {}", scenario.flags);
            trial.act(&Action::Run(Command { aiperf, expect: expect.clone(), ..Command::default() }))?;
        }
        None => scenario.commands.iter().try_for_each(|action| trial.act(action))?,
    }
    if trial.background.is_some() {
        bail!("a program was started and never joined");
    }
    Ok(trial.findings.0)
}

/// `${other}` in the script of a server is the port of the second one.
fn with_other(script: &ServerScript, other: Option<&ScriptedServer>) -> ServerScript {
    let Some(other) = other else { return script.clone() };
    let port = other.port().to_string();
    let mut script = script.clone();
    let on_paths = script.paths.values_mut().flatten();
    for step in script.on_request.iter_mut().flatten().chain(on_paths) {
        if let crate::step::ScriptStep::Reply(reply) = step {
            for line in &mut reply.headers {
                *line = line.replace("${other}", &port);
            }
        }
    }
    script
}

impl Trial<'_> {
    fn act(&mut self, action: &Action) -> anyhow::Result<()> {
        match action {
            Action::Run(command) => {
                let program = self.start(command)?;
                self.finish(command, program)
            }
            Action::Start(command) => {
                let program = self.start(command)?;
                self.background = Some((command.clone(), program));
                Ok(())
            }
            Action::Join => {
                let (command, program) = self.background.take().context("nothing was started")?;
                self.finish(&command, program)
            }
            Action::Sh(commands) => shell(&self.filled(commands), self.folder),
            Action::Release => {
                self.release();
                Ok(())
            }
            Action::Await(moment) => match self.background.take() {
                Some((command, mut program)) => {
                    let waited = self.live_through(moment, &mut program);
                    self.background = Some((command, program));
                    waited
                }
                None => bail!("nothing was started"),
            },
        }
    }

    fn start(&mut self, command: &Command) -> anyhow::Result<Program> {
        self.started += 1;
        let words = words(&command.aiperf)?.iter().map(|word| self.filled(word)).collect::<Vec<_>>();
        let prelude = self.filled(&command.prelude);
        let command = Command { prelude, ..command.clone() };
        Program::start(&self.bench.binary, &words, &command, self.folder, self.started)
    }

    fn finish(&mut self, command: &Command, mut program: Program) -> anyhow::Result<()> {
        for moment in &command.during {
            self.live_through(moment, &mut program)?;
        }
        let expect = &command.expect;
        let ended = match program.end(Duration::from_secs(expect.within_s)) {
            Ok(ended) => ended,
            Err(error) => {
                self.findings.add(format!("time: expected an end within {} s, saw: {error:#}", expect.within_s));
                return Ok(());
            }
        };
        let out = self.out_of(command)?;
        check::check_ended(expect, &ended, &mut self.findings);
        check::check_folder(expect, &out, &self.server, &mut self.findings);
        check::check_servers(expect, &self.server, self.other.as_ref(), &mut self.findings);
        check::check_files(expect, self.folder, &out, &mut self.findings);
        if expect.sent.is_some() {
            self.validate(&out, expect)?;
        }
        Ok(())
    }

    /// The artifact folder that a command line names.
    fn out_of(&self, command: &Command) -> anyhow::Result<PathBuf> {
        let words = words(&command.aiperf)?;
        let named = words.iter().skip_while(|word| *word != "--artifact-dir").nth(1);
        Ok(self.folder.join(named.map_or(OUT, String::as_str)))
    }

    fn validate(&mut self, out: &Path, expect: &Expectation) -> anyhow::Result<()> {
        let passes = match expect.validate {
            Validate::Unasked => return Ok(()),
            Validate::Passes => true,
            Validate::Finds => false,
        };
        self.started += 1;
        let words = ["validate".to_owned(), out.display().to_string()];
        let program = Program::start(&self.bench.binary, &words, &Command::default(), self.folder, self.started)?;
        let ended = program.end(PATIENCE)?;
        if ended.status.success() != passes {
            let expected = if passes { "no finding" } else { "findings" };
            self.findings.add(format!("validate: expected {expected}, saw {:?}", ended.stdout.trim()));
        }
        Ok(())
    }

    fn live_through(&self, moment: &Moment, program: &mut Program) -> anyhow::Result<()> {
        match moment {
            Moment::Signal(signal) => program.signal(*signal),
            Moment::SleepMs(length) => {
                thread::sleep(Duration::from_millis(*length));
                Ok(())
            }
            Moment::Release => {
                self.release();
                Ok(())
            }
            Moment::Sh(commands) => {
                shell(&self.filled(commands).replace("${pid}", &program.id().to_string()), self.folder)
            }
            awaited => {
                let begun = Instant::now();
                while !self.has_come(awaited, program) {
                    // What is awaited may come with the very end.
                    if program.has_ended()? && !self.has_come(awaited, program) {
                        bail!("the program ended before {awaited:?}; it said {:?}", program.stderr().trim());
                    }
                    if begun.elapsed() > PATIENCE {
                        bail!("{awaited:?} did not come within {} s", PATIENCE.as_secs());
                    }
                    thread::sleep(POLL);
                }
                Ok(())
            }
        }
    }

    fn has_come(&self, moment: &Moment, program: &Program) -> bool {
        let text = |file: &str| fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        match moment {
            Moment::Served(count) => self.server.served() >= *count,
            Moment::Connections(count) => self.server.connections() >= *count,
            Moment::Lines { file, count } => text(file).lines().count() >= *count,
            Moment::Text { file, text: wanted } => text(file).contains(wanted),
            Moment::Stderr(words) => program.stderr().contains(words),
            Moment::Signal(_) | Moment::SleepMs(_) | Moment::Release | Moment::Sh(_) => true,
        }
    }

    fn release(&self) {
        self.server.release();
        self.other.iter().for_each(ScriptedServer::release);
    }

    fn filled(&self, text: &str) -> String {
        let other = self.other.as_ref().map(|other| other.port().to_string()).unwrap_or_default();
        text.replace("${url}", &self.server.url())
            .replace("${port}", &self.server.port().to_string())
            .replace("${other}", &other)
            .replace("${dir}", &self.folder.display().to_string())
            .replace("${binary}", &self.bench.binary.display().to_string())
    }
}

/// The words of a command line, which single quotes keep together, with the usual options where `${profile}` stands.
fn words(line: &str) -> anyhow::Result<Vec<String>> {
    let mut given = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            given.push(part.to_owned());
        } else {
            given.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    if line.matches('\'').count() % 2 == 1 {
        bail!("a quote is not closed: {line}");
    }
    let is_set = |name: &str| given.iter().any(|word| word == name || word.strip_prefix('!') == Some(name));
    let usual: Vec<String> = USUAL
        .iter()
        .filter(|(name, _)| !is_set(name))
        .flat_map(|(name, value)| [(*name).to_owned(), (*value).to_owned()])
        .filter(|word| !word.is_empty())
        .collect();
    let mut words = Vec::new();
    for word in given.into_iter().filter(|word| !word.starts_with('!')) {
        if word == "${profile}" {
            words.push("profile".to_owned());
            words.extend(usual.iter().cloned());
        } else {
            words.push(word);
        }
    }
    Ok(words)
}

/// A small file system, unmounted when dropped.
struct Disk {
    path: PathBuf,
}

impl Disk {
    fn mount(folder: &Path, size: &str) -> anyhow::Result<Self> {
        let path = folder.join("disk");
        fs::create_dir(&path)?;
        shell(&format!("mount -t tmpfs -o size={size} lab disk"), folder)?;
        Ok(Self { path })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.path).status();
    }
}

/// A bench for the program at this path.
pub(crate) fn bench(binary: &Path) -> anyhow::Result<Arc<TrialSetup>> {
    Ok(Arc::new(TrialSetup { binary: binary.to_owned(), authority: Authority::new()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_the_scenario_takes_the_place_of_the_usual_one() {
        let words = words("${profile} --concurrency 7 !--streaming --extra-inputs '{\"a\": 1}'").unwrap();
        assert_eq!(words.iter().filter(|word| *word == "--concurrency").count(), 1);
        assert!(!words.contains(&"--streaming".to_owned()) && !words.contains(&"!--streaming".to_owned()));
        assert_eq!(words.last().unwrap(), "{\"a\": 1}");
    }
}
