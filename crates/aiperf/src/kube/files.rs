//! `AIPerfJob` files: to begin with, checked, and shown.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aiperf_config::Environment;
use aiperf_config_file::{ConfigFile, Starter};
use aiperf_kubernetes::{RunName, check_resource};
use aiperf_options::RawOptions;
use anyhow::Context;
use serde_json::json;

/// Prints a template as an `AIPerfJob`.
pub(super) fn init(
    template: &Starter,
    name: &str,
    model: Option<&str>,
    url: Option<&str>,
    output: Option<&Path>,
) -> anyhow::Result<()> {
    let name = RunName::parse(name).map_err(|problem| anyhow::anyhow!("--job-name: {problem}"))?;
    let text = job_file(template, &name, model, url, output);
    match output {
        None => crate::print(text.as_bytes())?,
        Some(path) => {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
            println!("Wrote {}.", path.display());
        }
    }
    Ok(())
}

/// The configuration under `spec`, with a line that says how to run it.
fn job_file(
    template: &Starter,
    name: &RunName,
    model: Option<&str>,
    url: Option<&str>,
    output: Option<&Path>,
) -> String {
    let file = output.and_then(Path::file_name).map_or("job.yaml".into(), |name| name.to_string_lossy());
    let mut text = format!("# aiperf kube profile -f {file} --image IMAGE\n");
    let _ = write!(text, "apiVersion: aiperf.nvidia.com/v1alpha1\nkind: AIPerfJob\nmetadata:\n  name: {name}\nspec:\n");
    for line in template.text(model, url).lines() {
        // The comments at the top are about another file and another command.
        if line.starts_with('#') {
            continue;
        }
        let _ = if line.is_empty() { writeln!(text) } else { writeln!(text, "  {line}") };
    }
    text
}

/// Checks files one by one, with all rules of a run.
pub(super) fn validate(files: &[PathBuf], strict: bool, as_json: bool, environment: &Environment) -> ExitCode {
    let mut answers = Vec::new();
    for path in files {
        let checked = check(path, environment);
        let (error, warnings) = match checked {
            Ok(warnings) => (None, warnings),
            Err(error) => (Some(format!("{error:#}")), Vec::new()),
        };
        let is_valid = error.is_none() && (!strict || warnings.is_empty());
        if as_json {
            let file = path.display().to_string();
            answers.push(json!({"file": file, "valid": is_valid, "error": error, "warnings": warnings}));
        } else {
            for warning in &warnings {
                eprintln!("warning: {warning}");
            }
            match &error {
                Some(error) => eprintln!("error: {error}"),
                None if is_valid => println!("Valid: {}", path.display()),
                None => eprintln!("error: {}: --strict does not allow its warnings", path.display()),
            }
            answers.push(json!({"valid": is_valid}));
        }
    }
    let all_valid = answers.iter().all(|answer| answer["valid"] == true);
    if as_json {
        println!("{:#}", json!({"valid": all_valid, "files": answers}));
    }
    if all_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What has no effect, in sentences.
fn check(path: &Path, environment: &Environment) -> anyhow::Result<Vec<String>> {
    let mut file = ConfigFile::load(&environment.current_dir.join(path), &environment.variables)?;
    file.take_discovery();
    let experiment = file.experiment(&RawOptions::default(), environment)?;
    let mut warnings: Vec<String> = Vec::new();
    for warning in experiment.cells.iter().flat_map(|cell| &cell.config.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    if let Some(resource) = file.custom_resource() {
        warnings.extend(check_resource(resource).with_context(|| path.display().to_string())?);
    }
    Ok(warnings)
}

/// Prints a file as the pods would get it.
pub(super) fn show(path: &Path, environment: &Environment) -> anyhow::Result<()> {
    let file = ConfigFile::load(&environment.current_dir.join(path), &environment.variables)?;
    let shown = file.rendered()?;
    let document = match file.custom_resource() {
        None => shown,
        Some(resource) => {
            let mut spec = shown;
            if let Some(spec) = spec.as_object_mut() {
                spec.extend(resource.deployment.clone());
            }
            let mut metadata = json!({"name": resource.name});
            if let Some(namespace) = &resource.namespace {
                metadata["namespace"] = json!(namespace);
            }
            json!({
                "apiVersion": "aiperf.nvidia.com/v1alpha1",
                "kind": resource.kind,
                "metadata": metadata,
                "spec": spec,
            })
        }
    };
    crate::print(aiperf_config_file::write(&document).as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use aiperf_config_file::STARTERS;

    use super::*;

    #[test]
    fn every_template_is_a_job() {
        let name = RunName::parse("my-run").unwrap();
        let variables =
            BTreeMap::from([("MODEL", "m"), ("SERVER_URL", "http://h:1")].map(|(k, v)| (k.to_owned(), v.to_owned())));
        for template in STARTERS {
            let text = job_file(template, &name, Some("org/model"), None, None);
            let file =
                ConfigFile::parse(template.name, &text, &variables).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(file.custom_resource().unwrap().name.as_deref(), Some("my-run"));
            file.read_variations().unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
    }
}
