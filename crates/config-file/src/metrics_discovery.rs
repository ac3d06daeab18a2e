//! `serverMetrics.discovery`: where in a cluster metrics pages are looked for. `aiperf kube` takes it out of the file, looks, and
//! writes the pages that it found into the configuration of the pods.

use crate::names::snake;
use crate::yaml::{Entry, Node, NodeValue};

/// What a file says about the search for metrics pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsDiscovery {
    /// Whether a run without a cluster is a mistake: `mode: kubernetes`, and not `auto`.
    pub is_required: bool,
    pub label_selector: Option<String>,
    pub namespace: Option<String>,
}

/// Takes the section out of the root of a file; `None` if it has none, or if it is switched off.
pub(crate) fn take(root: &mut Node) -> Option<MetricsDiscovery> {
    let metrics = entry(root.get_mut("benchmark")?, "server_metrics")?;
    let NodeValue::Map(entries) = &mut metrics.value else { return None };
    let place = entries.iter().position(|entry| snake(&entry.key) == "discovery")?;
    let section = entries.remove(place).value;
    let word = |key: &str| {
        let found = section.entries().iter().find(|entry| snake(&entry.key) == key)?;
        found.value.word().filter(|word| !word.is_empty())
    };
    let mode = word("mode").unwrap_or_else(|| "auto".to_owned());
    (mode != "disabled").then(|| MetricsDiscovery {
        is_required: mode == "kubernetes",
        label_selector: word("label_selector"),
        namespace: word("namespace"),
    })
}

fn entry<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    let NodeValue::Map(entries) = &mut node.value else { return None };
    entries.iter_mut().find(|Entry { key: name, .. }| snake(name) == key).map(|entry| &mut entry.value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::ConfigFile;

    fn file(discovery: &str) -> ConfigFile {
        let text = format!(
            "benchmark:\n  model: m\n  endpoint: {{url: http://s}}\n  dataset: {{type: synthetic, isl: 10}}\n  phases: {{type: \
             concurrency, requests: 4}}\n  serverMetrics:\n    urls: [http://s/metrics]\n    discovery: {discovery}\n"
        );
        ConfigFile::parse("f", &text, &BTreeMap::new()).unwrap()
    }

    #[test]
    fn the_section_is_taken_out_of_the_file() {
        let mut file = file("{mode: kubernetes, labelSelector: app=vllm, namespace: serving}");
        assert!(file.read_variations().is_err());
        let found = file.take_discovery().unwrap();
        assert!(found.is_required);
        assert_eq!(found.label_selector.as_deref(), Some("app=vllm"));
        assert_eq!(found.namespace.as_deref(), Some("serving"));
        assert!(file.read_variations().is_ok());
        assert_eq!(file.take_discovery(), None);
    }

    #[test]
    fn it_can_be_switched_off() {
        assert_eq!(file("{mode: disabled}").take_discovery(), None);
        assert!(!file("{mode: auto}").take_discovery().unwrap().is_required);
    }
}
