//! GPUs of this machine that a run can watch.

use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use aiperf_telemetry::gpu::source::amd::AmdSource;
use aiperf_telemetry::gpu::source::nvml::NvmlSource;
use aiperf_telemetry::gpu::source::{GpuSource, SourceError};

use crate::finding::{Check, Finding};

/// A library of a broken driver may never answer.
const LIBRARY_LIMIT: Duration = Duration::from_secs(5);
/// Where exporters of DCGM listen unless told otherwise.
const DCGM_PORTS: [u16; 2] = [9400, 9401];
const CONNECT_LIMIT: Duration = Duration::from_millis(200);

pub(crate) fn check() -> Finding {
    let dcgm: Vec<u16> = DCGM_PORTS.into_iter().filter(|port| listens(*port)).collect();
    judge(&models("NVML", NvmlSource::open), &models("AMD SMI", AmdSource::open), &dcgm)
}

/// What a library said: the models of its GPUs, or why there are none.
fn models<S: GpuSource>(
    library: &str,
    open: impl FnOnce() -> Result<S, SourceError> + Send + 'static,
) -> Result<String, String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let listed = open()
            .and_then(|mut source| source.read())
            .map(|readings| readings.iter().map(|reading| reading.gpu.model.clone()).collect::<Vec<String>>());
        // Nobody waits any more if the limit has passed.
        let _ = sender.send(listed);
    });
    match receiver.recv_timeout(LIBRARY_LIMIT) {
        Ok(Ok(models)) if !models.is_empty() => Ok(format!("{library} lists {}", counted(models))),
        Ok(Ok(_)) => Err(format!("{library} lists none")),
        Ok(Err(error)) => Err(error.reason),
        Err(_) => Err(format!("{library} did not answer within {} s", LIBRARY_LIMIT.as_secs())),
    }
}

/// "2 x NVIDIA H200".
fn counted(mut models: Vec<String>) -> String {
    models.sort();
    let mut parts = Vec::new();
    for group in models.chunk_by(|one, other| one == other) {
        parts.push(format!("{} x {}", group.len(), group[0]));
    }
    parts.join(", ")
}

fn listens(port: u16) -> bool {
    TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), CONNECT_LIMIT).is_ok()
}

fn judge(nvidia: &Result<String, String>, amd: &Result<String, String>, dcgm: &[u16]) -> Finding {
    let mut seen: Vec<String> = [nvidia, amd].into_iter().filter_map(|library| library.clone().ok()).collect();
    seen.extend(dcgm.iter().map(|port| format!("an exporter answers on port {port}")));
    if seen.is_empty() {
        return Finding::ok(
            Check::Gpu,
            "none found here; a run can watch those of a server through --gpu-telemetry URL",
        );
    }
    Finding::ok(Check::Gpu, seen.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_models_are_counted() {
        let models = ["H200", "L4", "H200"].map(str::to_owned).to_vec();
        assert_eq!(counted(models), "2 x H200, 1 x L4");
    }

    #[test]
    fn every_source_is_named() {
        let found = judge(&Ok("NVML lists 1 x H200".into()), &Err("no library".into()), &[9400]);
        assert_eq!(found.seen, "NVML lists 1 x H200; an exporter answers on port 9400");
        assert!(judge(&Err("no".into()), &Err("no".into()), &[]).seen.starts_with("none found here"));
    }
}
