//! `aiperf kube debug`: what a run waits for, or what ended it, with advice.

use std::io;
use std::process::ExitCode;

use aiperf_kubernetes::{LogOptions, RunPod};

use super::{found, list, open};
use crate::cli::DebugRequest;

/// Words of Kubernetes, and what to do about them.
const ADVICE: [(&str, &str); 9] = [
    ("ErrImagePull", "the image cannot be pulled: check --image, and --image-pull-secrets for a private registry"),
    ("ImagePullBackOff", "the image cannot be pulled: check --image, and --image-pull-secrets for a private registry"),
    ("InvalidImageName", "the name of the image is wrong: check --image"),
    ("Unschedulable", "no machine has room or fits: check --node-selector, --tolerations and the free processors"),
    ("CreateContainerConfigError", "a Secret or ConfigMap is missing: check --env-from-secrets"),
    ("FailedMount", "a volume cannot be mounted: check --secret-mounts and --results-claim"),
    ("OOMKilled", "the memory limit is too low: use resourceMode burstable, or more nodes"),
    ("FailedCreate", "the pods are refused: the message names the quota or the policy"),
    ("exit code", "the program ended with an error: `aiperf kube logs` shows it"),
];

pub(super) fn run(asked: &DebugRequest) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    let run = found(&cluster, asked.run.as_deref())?;
    println!(
        "{} {}: {}{}",
        run.kind,
        run.name,
        run.state.name(),
        run.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
    );
    let pods = cluster.pods(&run)?;
    let mut rows = vec![["POD", "PART", "PHASE", "MACHINE", "REASON"].map(str::to_owned).to_vec()];
    rows.extend(pods.iter().map(row));
    println!("");
    crate::print(list::columns(&rows).as_bytes())?;
    let warnings: Vec<_> = cluster.events(&run)?.into_iter().filter(|event| event.kind == "Warning").collect();
    for event in &warnings {
        println!("\n{} {}: {}: {}", event.time, event.object, event.reason, event.message);
    }
    let texts = pods.iter().filter_map(|pod| pod.reason.clone());
    let texts: Vec<String> =
        texts.chain(warnings.iter().map(|event| format!("{}: {}", event.reason, event.message))).collect();
    let advice = advice(&texts, pods.is_empty());
    println!("");
    for sentence in &advice {
        println!("advice: {sentence}");
    }
    if asked.verbose {
        for pod in pods.iter().filter(|pod| pod.is_running() || pod.has_ended()) {
            println!("\n==> {} <==", pod.name);
            let options = LogOptions { tail: Some(20), ..LogOptions::default() };
            cluster.log(&run, pod, &options, &mut io::stdout())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn row(pod: &RunPod) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    vec![pod.name.clone(), pod.component.clone(), pod.phase.clone(), text(&pod.host), text(&pod.reason)]
}

fn advice(texts: &[String], no_pods: bool) -> Vec<String> {
    let mut advice: Vec<String> = ADVICE
        .iter()
        .filter(|(word, _)| texts.iter().any(|text| text.contains(word)))
        .map(|(_, advice)| (*advice).to_owned())
        .collect();
    advice.dedup();
    if advice.is_empty() {
        let sentence = if no_pods {
            "there are no pods yet: a queue may hold the run back, or its controller does not work"
        } else {
            "nothing is wrong as far as Kubernetes knows"
        };
        advice.push(sentence.to_owned());
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_reasons_have_advice() {
        let of = |text: &str| advice(&[text.to_owned()], false);
        assert!(of("ImagePullBackOff: not found")[0].contains("--image-pull-secrets"));
        assert!(of("Error: exit code 1")[0].contains("kube logs"));
        assert_eq!(of("Started"), ["nothing is wrong as far as Kubernetes knows"]);
        assert!(advice(&[], true)[0].contains("no pods"));
    }
}
