//! GPU telemetry and the cost of GPUs.

use std::time::Duration;

use aiperf_config::{GpuCollection, GpuCost, GpuTelemetrySource};
use serde_json::json;

use super::{check, environment, raw, with_model};

#[test]
fn sources_come_from_the_items() {
    let source = |words: &[&str]| with_model(words).unwrap().gpu_telemetry.map(|telemetry| telemetry.source);
    assert_eq!(source(&[]), Some(GpuTelemetrySource::Automatic));
    assert_eq!(source(&["--no-gpu-telemetry"]), None);
    assert_eq!(source(&["--gpu-telemetry=pynvml"]), Some(GpuTelemetrySource::Nvml));
    assert_eq!(source(&["--gpu-telemetry=amdsmi"]), Some(GpuTelemetrySource::AmdSmi));
    let Some(GpuTelemetrySource::Pages(pages)) = source(&["--gpu-telemetry=a:9400,http://b:9400/metrics"]) else {
        panic!("pages")
    };
    let urls: Vec<&str> = pages.iter().map(aiperf_address::Address::as_str).collect();
    assert_eq!(urls, ["http://a:9400/metrics", "http://b:9400/metrics"]);
    let live = with_model(&["--gpu-telemetry=pynvml,dashboard"]).unwrap().gpu_telemetry.unwrap();
    assert!(live.live && live.asked_for);
}

#[test]
fn files_show_what_was_asked_for_as_the_reference_does() {
    let section = |words: &[&str]| with_model(words).unwrap().to_input_config()["gpu_telemetry"].clone();
    assert_eq!(section(&[]), json!({"enabled": true}));
    assert_eq!(section(&["--no-gpu-telemetry"]), json!({"enabled": false}));
    assert_eq!(
        section(&["--gpu-telemetry=http://127.0.0.1:38418/metrics"]),
        json!({
            "enabled": true, "urls": ["http://127.0.0.1:38418/metrics"], "collector": "dcgm", "mode": "summary",
        })
    );
    assert_eq!(section(&["--gpu-telemetry=pynvml"])["collector"], "pynvml");
}

#[test]
fn when_sources_are_read_comes_from_variables() {
    let mut environment = environment();
    let collection = |environment: &aiperf_config::Environment| {
        raw(&["--model=m"]).resolve(environment).unwrap().tuning.gpu_collection
    };
    assert_eq!(collection(&environment), GpuCollection::default());
    for (name, value) in [
        ("COLLECTION_INTERVAL", "0.1"),
        ("DEFAULT_DCGM_ENDPOINTS", r#"["node1:9400"]"#),
        ("FINAL_SCRAPE_GRACE_NS", "1000000000"),
        ("REACHABILITY_TIMEOUT", "2"),
        ("SHUTDOWN_DELAY", "3"),
    ] {
        environment.variables.insert(format!("AIPERF_GPU_{name}"), value.to_owned());
    }
    let read = collection(&environment);
    assert_eq!((read.interval, read.final_grace), (Duration::from_millis(100), Duration::from_secs(1)));
    assert_eq!((read.reachability_timeout, read.shutdown), (Duration::from_secs(2), Duration::from_secs(3)));
    assert!(read.names_endpoints());
    assert_eq!(read.default_endpoints[0].as_str(), "http://node1:9400/metrics");
}

#[test]
fn a_price_needs_to_know_for_how_many_gpus() {
    let cost = |words: &[&str]| with_model(words).unwrap().gpu_cost;
    assert_eq!(cost(&[]), None);
    assert_eq!(cost(&["--cost-per-gpu-hour=2.5"]), Some(GpuCost { per_gpu_hour: 2.5, gpus: None }));
    assert_eq!(cost(&["--cost-per-gpu-hour=2.5", "--gpus=8"]), Some(GpuCost { per_gpu_hour: 2.5, gpus: Some(8) }));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    check(&[
        (&["--gpu-telemetry=pynvml", "--no-gpu-telemetry"], &["either collected or not"]),
        (&["--gpu-telemetry=pynvml,node1:9400"], &["cannot be combined with URLs"]),
        (&["--gpu-telemetry=pynvml,amdsmi"], &["choose one library"]),
        (&["--gpu-telemetry=rocm"], &["must be pynvml, amdsmi"]),
        (&["--gpu-telemetry=missing.csv"], &["there is no such file"]),
        (&["--gpu-telemetry=http://me:pw@node1:9400"], &["must not contain a user name or password"]),
        (&["--gpus=8"], &["--cost-per-gpu-hour"]),
        (&["--cost-per-gpu-hour=2", "--no-gpu-telemetry"], &["--gpus"]),
        (&["--cost-per-gpu-hour=0"], &["--cost-per-gpu-hour"]),
    ]);
}
