//! `aiperf kube logs`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use aiperf_kubernetes::{ClusterRun, LogOptions, RunPod};
use anyhow::Context;

use super::{found, open};
use crate::cli::LogsRequest;

pub(super) fn run(asked: &LogsRequest) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    if asked.ignore_not_found && cluster.run(asked.run.as_deref())?.is_none() {
        return Ok(ExitCode::SUCCESS);
    }
    let run = found(&cluster, asked.run.as_deref())?;
    let options = LogOptions { container: asked.container.clone(), follow: asked.follow, tail: asked.tail };
    let pods: Vec<RunPod> =
        cluster.pods(&run)?.into_iter().filter(|pod| of_container(pod, asked.container.as_deref())).collect();
    anyhow::ensure!(
        !pods.is_empty(),
        "run {} has no pods; `aiperf kube debug -j {}` looks for the reason",
        run.name,
        run.name
    );
    if let Some(folder) = &asked.output {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let several = pods.len() > 1;
    if asked.follow && several {
        return follow(asked, &run, &pods, &options);
    }
    for pod in &pods {
        if let Some(folder) = &asked.output {
            let path = folder.join(format!("{}.log", pod.name));
            let mut file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
            cluster.log(&run, pod, &options, &mut file)?;
            println!("{}", path.display());
        } else {
            if several {
                println!("==> {} <==", pod.name);
            }
            cluster.log(&run, pod, &options, &mut io::stdout())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Logs that go on, of all pods at the same time. On the terminal each line has the name of its pod.
fn follow(asked: &LogsRequest, run: &ClusterRun, pods: &[RunPod], options: &LogOptions) -> anyhow::Result<ExitCode> {
    let results: Vec<anyhow::Result<()>> = thread::scope(|scope| {
        let threads: Vec<_> = pods
            .iter()
            .map(|pod| {
                scope.spawn(move || {
                    let cluster = open(&asked.access)?;
                    if let Some(folder) = &asked.output {
                        let path = folder.join(format!("{}.log", pod.name));
                        let file = File::create(&path);
                        let mut file = file.with_context(|| format!("cannot write {}", path.display()))?;
                        return Ok(cluster.log(run, pod, options, &mut file)?);
                    }
                    let mut lines = PodLines { pod: &pod.name, rest: Vec::new(), out: io::stdout() };
                    let copied = cluster.log(run, pod, options, &mut lines);
                    lines.end()?;
                    Ok(copied?)
                })
            })
            .collect();
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended
            .map(|ended| ended.unwrap_or_else(|_| Err(anyhow::anyhow!("a thread that reads a log has failed"))))
            .collect()
    });
    results.into_iter().collect::<anyhow::Result<()>>()?;
    Ok(ExitCode::SUCCESS)
}

/// Writes whole lines with the name of a pod before each, so that a reader knows where each line comes from.
#[derive(Debug)]
struct PodLines<'a, W: Write> {
    pod: &'a str,
    /// The line that has not ended.
    rest: Vec<u8>,
    out: W,
}

impl<W: Write> PodLines<'_, W> {
    fn end(&mut self) -> io::Result<()> {
        if self.rest.is_empty() { Ok(()) } else { self.write_all(b"\n") }
    }
}

impl<W: Write> Write for PodLines<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let mut line = format!("{}: ", self.pod).into_bytes();
            line.extend(self.rest.drain(..=end));
            self.out.write_all(&line)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn of_container(pod: &RunPod, container: Option<&str>) -> bool {
    container.is_none_or(|container| (container == "nats") == (pod.component == "nats"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_the_name_of_its_pod() {
        let mut lines = PodLines { pod: "run-0", rest: Vec::new(), out: Vec::new() };
        for piece in ["one\ntw", "o\n", "three"] {
            lines.write_all(piece.as_bytes()).unwrap();
        }
        lines.end().unwrap();
        assert_eq!(String::from_utf8(lines.out).unwrap(), "run-0: one\nrun-0: two\nrun-0: three\n");
    }
}
