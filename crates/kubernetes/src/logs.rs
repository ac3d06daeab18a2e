//! Logs of pods, and the events about them.

use std::io::Write;

use serde_json::Value;

use crate::cluster::{Cluster, ClusterError};
use crate::objects::{EVENT, POD, escaped};
use crate::run::{ClusterRun, RunPod};

/// Which part of a log.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    pub container: Option<String>,
    /// Go on until the pod ends.
    pub follow: bool,
    /// Only the last lines.
    pub tail: Option<u32>,
}

/// What Kubernetes says about an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterEvent {
    /// `Normal` or `Warning`.
    pub kind: String,
    pub reason: String,
    pub object: String,
    pub message: String,
    pub time: String,
}

impl Cluster {
    /// Copies the log of a pod.
    pub fn log(
        &self,
        run: &ClusterRun,
        pod: &RunPod,
        options: &LogOptions,
        out: &mut dyn Write,
    ) -> Result<(), ClusterError> {
        let mut query = Vec::new();
        query.extend(options.container.as_ref().map(|name| format!("container={}", escaped(name))));
        query.extend(options.follow.then(|| "follow=true".to_owned()));
        query.extend(options.tail.map(|lines| format!("tailLines={lines}")));
        let path = format!("{}/{}/log?{}", POD.path(Some(&run.namespace)), pod.name, query.join("&"));
        self.copy(&format!("to read the log of pod {}", pod.name), &path, &[], out).map(drop)
    }

    /// What happened to the objects of a run, the oldest first.
    pub fn events(&self, run: &ClusterRun) -> Result<Vec<ClusterEvent>, ClusterError> {
        let mut events: Vec<ClusterEvent> = self.list(EVENT, Some(&run.namespace), "")?.iter().map(event).collect();
        // Pods and Jobs of a run have names that begin with its own.
        events.retain(|event| {
            let name = event.object.split_once(' ').map_or("", |(_, name)| name);
            name == run.name.as_str() || name.starts_with(&format!("{}-", run.name))
        });
        events.sort_by(|a, b| a.time.cmp(&b.time));
        Ok(events)
    }
}

fn event(object: &Value) -> ClusterEvent {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let involved = &object["involvedObject"];
    let times = [&object["lastTimestamp"], &object["eventTime"], &object["metadata"]["creationTimestamp"]];
    ClusterEvent {
        kind: text(&object["type"]),
        reason: text(&object["reason"]),
        object: format!("{} {}", text(&involved["kind"]), text(&involved["name"])),
        message: text(&object["message"]),
        time: times.into_iter().find_map(Value::as_str).unwrap_or_default().to_owned(),
    }
}
