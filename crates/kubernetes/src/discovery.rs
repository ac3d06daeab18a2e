//! Metrics pages of inference servers in the cluster, found by the labels, annotations and images of their pods. This is done before
//! the run with the rights of the user, so that the pods of the run need none.

use serde_json::Value;

use crate::cluster::{Cluster, ClusterError};
use crate::objects::POD;

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Discovery {
    /// In the words of Kubernetes, such as `app=vllm`.
    pub label_selector: Option<String>,
    /// `*` for all; the namespace of the run without it.
    pub namespace: Option<String>,
}

const ENABLED: &str = "nvidia.com/metrics-enabled";
const PATHS: &str = "aiperf.nvidia.com/metrics-paths";
/// Parts of the names of images whose servers have a metrics page.
const SERVERS: [&str; 6] = ["vllm", "sglang", "triton", "trt-llm", "trtllm", "dynamo"];
/// The port of a server that says nothing about it.
const DEFAULT_PORT: u64 = 8000;

impl Cluster {
    /// The URLs of all metrics pages, in order.
    pub fn discover(&self, discovery: &Discovery) -> Result<Vec<String>, ClusterError> {
        let namespace = match discovery.namespace.as_deref() {
            Some("*") => None,
            Some(namespace) => Some(namespace),
            None => Some(self.namespace()),
        };
        let pods = self.list(POD, namespace, discovery.label_selector.as_deref().unwrap_or_default())?;
        let mut urls: Vec<String> = pods.iter().flat_map(pages).collect();
        urls.sort();
        urls.dedup();
        Ok(urls)
    }
}

/// The metrics pages of a pod; none if it is not a server.
fn pages(pod: &Value) -> Vec<String> {
    let metadata = &pod["metadata"];
    let annotation = |name: &str| metadata["annotations"][name].as_str();
    let prometheus = |name: &str| annotation(&format!("prometheus.io/{name}"));
    let is_off = |value: Option<&str>| value.is_some_and(|value| value.eq_ignore_ascii_case("false"));
    let label = metadata["labels"][ENABLED].as_str();
    let Some(address) = pod["status"]["podIP"].as_str() else { return Vec::new() };
    if pod["status"]["phase"] != "Running" || is_off(label) || is_off(prometheus("scrape")) {
        return Vec::new();
    }
    let containers = || pod["spec"]["containers"].as_array().into_iter().flatten();
    let is_marked = label.is_some()
        || annotation(PATHS).is_some()
        || ["port", "path", "scheme"].iter().any(|name| prometheus(name).is_some());
    let is_server = |container: &Value| {
        let image = container["image"].as_str().unwrap_or_default().to_lowercase();
        SERVERS.iter().any(|server| image.contains(server))
    };
    if !is_marked && !containers().any(is_server) {
        return Vec::new();
    }
    let ports: Vec<&Value> =
        containers().flat_map(|container| container["ports"].as_array().into_iter().flatten()).collect();
    let named = ["metrics", "http", "api"].iter().find_map(|name| ports.iter().find(|port| port["name"] == *name));
    let port = named.or(ports.first()).and_then(|port| port["containerPort"].as_u64()).unwrap_or(DEFAULT_PORT);
    let port = prometheus("port").and_then(|port| port.parse().ok()).unwrap_or(port);
    let scheme = prometheus("scheme").unwrap_or("http");
    let host = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
    let paths = annotation(PATHS).or(prometheus("path")).unwrap_or("/metrics");
    let path = |path: &str| format!("{scheme}://{host}:{port}/{}", path.trim().trim_start_matches('/'));
    paths.split(',').filter(|path| !path.trim().is_empty()).map(path).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "callers write them in place")]
    fn pod(metadata: Value, image: &str, ports: Value) -> Value {
        json!({
            "metadata": metadata,
            "spec": {"containers": [{"image": image, "ports": ports}]},
            "status": {"phase": "Running", "podIP": "10.1.2.3"},
        })
    }

    #[test]
    fn servers_are_known_by_label_annotation_or_image() {
        let of = |metadata: Value, image: &str, ports: Value| pages(&pod(metadata, image, ports));
        let marked = json!({"annotations": {"prometheus.io/port": "9400", "prometheus.io/path": "m", "prometheus.io/scheme": "https"}});
        assert_eq!(of(marked, "x", json!([])), ["https://10.1.2.3:9400/m"]);
        let labelled = json!({"labels": {"nvidia.com/metrics-enabled": "true"}});
        assert_eq!(of(labelled, "x", json!([{"containerPort": 8080}])), ["http://10.1.2.3:8080/metrics"]);
        let two = json!({"annotations": {"aiperf.nvidia.com/metrics-paths": "/metrics, /v2/metrics"}});
        assert_eq!(of(two, "x", json!([])), ["http://10.1.2.3:8000/metrics", "http://10.1.2.3:8000/v2/metrics"]);
        let ports = json!([{"containerPort": 1}, {"name": "metrics", "containerPort": 2}]);
        assert_eq!(of(json!({}), "vllm/vllm-openai:v1", ports), ["http://10.1.2.3:2/metrics"]);
        assert!(of(json!({}), "postgres:16", json!([{"containerPort": 5432}])).is_empty());
    }

    #[test]
    fn pods_that_do_not_run_or_do_not_want_it_are_left_out() {
        let mut waiting = pod(json!({}), "vllm", json!([]));
        waiting["status"]["phase"] = json!("Pending");
        assert!(pages(&waiting).is_empty());
        let off = json!({"annotations": {"prometheus.io/scrape": "false"}});
        assert!(pages(&pod(off, "vllm", json!([]))).is_empty());
        let off = json!({"labels": {"nvidia.com/metrics-enabled": "false"}});
        assert!(pages(&pod(off, "vllm", json!([]))).is_empty());
    }

    #[test]
    fn an_address_of_ipv6_has_brackets() {
        let mut pod = pod(json!({}), "sglang", json!([]));
        pod["status"]["podIP"] = json!("fd00::1");
        assert_eq!(pages(&pod), ["http://[fd00::1]:8000/metrics"]);
    }
}
