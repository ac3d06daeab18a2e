//! A long run against a faulty simulator, to see whether memory and descriptors of the client stay flat.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::command::{Command, Signal};
use crate::options::SoakOptions;
use crate::program::Program;

const INTERVAL: Duration = Duration::from_secs(3);
/// Tokens of a reply, and milliseconds between them: some ten seconds for each stream.
const TOKENS: u32 = 100;
const ITL_MS: u32 = 100;
/// Faults of the simulator. All kinds, a tenth of the requests in all.
const FAULTS: &str = "--error-rate 0.02 --drop-rate 0.01 --reset-rate 0.03 --cut-rate 0.01 --stall-rate 0.01 --stall-ms 2000 \
                      --inband-rate 0.01 --malformed-rate 0.01 --empty-rate 0.01";
/// What a run keeps of a request on purpose: its numbers, and four bytes for each token.
const KEPT_BYTES_PER_REQUEST: f64 = 700.0 + 4.0 * TOKENS as f64;
/// Growth beyond that which pages and allocators account for.
const SLACK_MIB: f64 = 16.0;
const SLACK_SHARE: f64 = 0.05;
const MIB: f64 = 1024.0 * 1024.0;

/// The client at one moment.
#[derive(Debug, Clone, Copy)]
struct MemorySample {
    seconds: f64,
    rss_mib: f64,
    descriptors: usize,
    records: u64,
}

/// A third of the samples.
#[derive(Debug, Clone, Copy)]
struct Third {
    rss_mib: f64,
    most_descriptors: usize,
    records: f64,
}

/// Whether they did.
pub(crate) fn run(options: &SoakOptions) -> anyhow::Result<bool> {
    let temporary = tempfile::Builder::new().prefix("aiperf-soak-").tempdir()?;
    let folder = options.keep.as_deref().unwrap_or(temporary.path());
    fs::create_dir_all(folder)?;
    let (sim, url) = start_simulator(options, folder)?;
    let mut client = start_client(options, folder, &url)?;
    let samples = watch(&mut client, folder, options)?;
    let ended = client.end(Duration::from_secs_f64(60.0 * options.minutes + 600.0))?;
    sim.signal(Signal::Int)?;
    println!("client: {}, {:.0} s", ended.status, ended.seconds);
    let mut well = ended.status.success();
    well &= accounts(folder)?;
    well &= is_flat(&samples)?;
    println!("{}", if well { "soak passed" } else { "soak failed" });
    Ok(well)
}

fn start_simulator(options: &SoakOptions, folder: &Path) -> anyhow::Result<(Program, String)> {
    let words = format!(
        "sim --port 0 --threads 2 --batch 100000 --truth-keep 100 --ttft 500 --itl {ITL_MS} --osl {TOKENS} {FAULTS}"
    );
    let command = Command { prelude: "ulimit -n $(ulimit -Hn)".to_owned(), ..Command::default() };
    let mut sim = Program::start(&options.binary, &split(&words), &command, folder, 1)?;
    let begun = Instant::now();
    loop {
        let said = fs::read_to_string(folder.join("stdout.1")).unwrap_or_default();
        if let Some(url) = said.split_whitespace().find(|word| word.starts_with("http://")) {
            return Ok((sim, url.to_owned()));
        }
        if sim.has_ended()? || begun.elapsed() > Duration::from_secs(60) {
            bail!("the simulator does not start: {}", sim.stderr());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn start_client(options: &SoakOptions, folder: &Path, url: &str) -> anyhow::Result<Program> {
    let words = format!(
        "profile --url {url} --model soak --tokenizer builtin --streaming --isl 16 --osl {TOKENS} --concurrency {} \
         --concurrency-ramp-duration 10 --benchmark-duration {} --benchmark-grace-period 30 --num-dataset-entries 100 \
         --request-timeout-seconds 60 --random-seed 1 --artifact-dir out",
        options.streams,
        60.0 * options.minutes,
    );
    let command = Command { prelude: "ulimit -n $(ulimit -Hn)".to_owned(), ..Command::default() };
    Program::start(&options.binary, &split(&words), &command, folder, 2)
}

fn split(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

fn watch(client: &mut Program, folder: &Path, options: &SoakOptions) -> anyhow::Result<Vec<MemorySample>> {
    let begun = Instant::now();
    let mut samples: Vec<MemorySample> = Vec::new();
    let mut records = LineCount::default();
    // The end of the run, when nothing is sent any more, is not part of what must be flat.
    while begun.elapsed().as_secs_f64() < 60.0 * options.minutes && !client.has_ended()? {
        thread::sleep(INTERVAL);
        let Some((rss_mib, descriptors)) = resources(client.id()) else { break };
        let records = records.of(&folder.join("out/profile_export.jsonl"));
        let sample = MemorySample { seconds: begun.elapsed().as_secs_f64(), rss_mib, descriptors, records };
        if samples.len().is_multiple_of(20) {
            println!("{:6.0} s  {rss_mib:7.1} MiB  {descriptors:6} descriptors  {records:9} records", sample.seconds);
        }
        samples.push(sample);
    }
    Ok(samples)
}

fn resources(process: u32) -> Option<(f64, usize)> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = rss.trim().strip_suffix(" kB")?.parse().ok()?;
    Some((kib / 1024.0, fs::read_dir(format!("/proc/{process}/fd")).ok()?.count()))
}

/// Lines of a file that grows.
#[derive(Debug, Default)]
struct LineCount {
    file: Option<File>,
    lines: u64,
}

impl LineCount {
    fn of(&mut self, path: &Path) -> u64 {
        self.file = self.file.take().or_else(|| File::open(path).ok());
        if let Some(file) = &mut self.file {
            // What cannot be read now is read next time.
            self.lines += count_lines(file).unwrap_or(0);
        }
        self.lines
    }
}

fn count_lines(file: &mut File) -> io::Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut lines = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(lines);
        }
        lines += memchr::memchr_iter(b'\n', &buffer[..count]).count() as u64;
    }
}

/// Whether summary and records count the same requests.
fn accounts(folder: &Path) -> anyhow::Result<bool> {
    let text = fs::read_to_string(folder.join("out/profile_export_aiperf.json")).context("no summary")?;
    let summary: Value = serde_json::from_str(&text)?;
    let phase = &summary["phase_accounting"][0];
    let count = |name: &str| phase[name].as_u64().unwrap_or(0);
    let recorded = LineCount::default().of(&folder.join("out/profile_export.jsonl"));
    let (sent, completed, cancelled) = (count("sent"), count("completed"), count("cancelled"));
    println!(
        "sent {sent}, completed {completed} ({} failed), cancelled {cancelled}, records {recorded}",
        count("errors")
    );
    Ok(sent == completed + cancelled && recorded == sent)
}

fn is_flat(samples: &[MemorySample]) -> anyhow::Result<bool> {
    if samples.len() < 9 {
        bail!("only {} samples: let it run longer", samples.len());
    }
    let third = samples.len() / 3;
    let (middle, last) = (of(&samples[third..2 * third]), of(&samples[2 * third..]));
    let kept = (last.records - middle.records) * KEPT_BYTES_PER_REQUEST / MIB;
    let grown = last.rss_mib - middle.rss_mib;
    let allowed = kept + SLACK_MIB.max(SLACK_SHARE * middle.rss_mib);
    let memory = grown <= allowed;
    let more = last.records - middle.records;
    println!(
        "memory: middle third {:.1} MiB, last third {:.1} MiB, {grown:+.1} MiB for {more:.0} more requests ({:.0} bytes each). The numbers \
         that a run keeps of requests may take {kept:.1} MiB of it; at most {allowed:+.1} MiB is flat: {}",
        middle.rss_mib,
        last.rss_mib,
        grown * MIB / more.max(1.0),
        verdict(memory),
    );
    let most = middle.most_descriptors + middle.most_descriptors / 50 + 8;
    let descriptors = last.most_descriptors <= most;
    println!(
        "descriptors: at most {} in the middle third, {} in the last; at most {most} is flat: {}",
        middle.most_descriptors,
        last.most_descriptors,
        verdict(descriptors),
    );
    Ok(memory && descriptors)
}

fn of(samples: &[MemorySample]) -> Third {
    let count = samples.len() as f64;
    Third {
        rss_mib: samples.iter().map(|sample| sample.rss_mib).sum::<f64>() / count,
        most_descriptors: samples.iter().map(|sample| sample.descriptors).max().unwrap_or(0),
        records: samples.iter().map(|sample| sample.records as f64).sum::<f64>() / count,
    }
}

const fn verdict(flat: bool) -> &'static str {
    if flat { "flat" } else { "NOT FLAT" }
}
