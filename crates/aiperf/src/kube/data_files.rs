//! Files of this machine that a configuration names. They travel in the `ConfigMap` of the run.

use std::collections::BTreeMap;
use std::path::Path;

use aiperf_kubernetes::FILES_DIR;
use anyhow::Context;
use serde_json::Value;

/// A `ConfigMap` holds 1 MiB; the configuration needs a part of it.
const MOST_BYTES: usize = 900 * 1024;

/// Keys of a configuration whose values are paths of input files.
const KEYS: [&str; 6] = ["path", "systemPromptFile", "system_prompt_file", "metricsFile", "metrics_file", "file"];

/// Takes the files that `config` names, and lets it name them where they are in a pod.
pub(super) fn take(config: &mut Value, folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    if let Some(body) = config.get_mut("benchmark") {
        visit(body, folder, &mut files)?;
    }
    let size: usize = files.values().map(Vec::len).sum();
    anyhow::ensure!(
        size <= MOST_BYTES,
        "the data files have {size} bytes, and a ConfigMap holds {MOST_BYTES}; put them on a volume or into the image, and mount it with spec.podTemplate of an AIPerfJob file"
    );
    Ok(files)
}

fn visit(value: &mut Value, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> anyhow::Result<()> {
    match value {
        Value::Object(pairs) => {
            for (key, value) in pairs {
                match value {
                    Value::String(path) if KEYS.contains(&key.as_str()) => replace(path, folder, files)?,
                    _ => visit(value, folder, files)?,
                }
            }
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| visit(item, folder, files))?,
        _ => {}
    }
    Ok(())
}

fn replace(path: &mut String, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> anyhow::Result<()> {
    let place = folder.join(&*path);
    // Paths of URLs and of files in the image are not files here.
    if !place.exists() {
        return Ok(());
    }
    anyhow::ensure!(
        !place.is_dir(),
        "{path} is a folder, which a ConfigMap cannot hold; put it on a volume or into the image"
    );
    let contents = std::fs::read(&place).with_context(|| format!("cannot read {}", place.display()))?;
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(other) = files.get(&name).filter(|other| **other != contents) {
        anyhow::bail!("two data files are called {name} ({} and {} bytes); rename one", other.len(), contents.len());
    }
    *path = format!("{FILES_DIR}/{name}");
    files.insert(name, contents);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_taken_and_named_where_they_are_in_a_pod() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("trace.jsonl"), "{}\n").unwrap();
        let mut config = json!({"benchmark": {
            "endpoint": {"path": "/v1/chat/completions"},
            "dataset": {"type": "file", "path": "trace.jsonl"},
        }});
        let files = take(&mut config, folder.path()).unwrap();
        assert_eq!(files, BTreeMap::from([("trace.jsonl".to_owned(), b"{}\n".to_vec())]));
        assert_eq!(config["benchmark"]["dataset"]["path"], "/etc/aiperf/files/trace.jsonl");
        assert_eq!(config["benchmark"]["endpoint"]["path"], "/v1/chat/completions");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("big"), vec![b'x'; MOST_BYTES + 1]).unwrap();
        let config = || json!({"benchmark": {"dataset": {"path": "big"}}});
        assert!(take(&mut config(), folder.path()).unwrap_err().to_string().contains("a ConfigMap holds 921600"));
        let error = take(&mut json!({"benchmark": {"dataset": {"path": "."}}}), folder.path()).unwrap_err();
        assert!(error.to_string().contains("is a folder"), "{error}");
    }
}
