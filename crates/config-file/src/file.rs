//! A configuration file as a whole: the envelope around the body of a run.

use std::collections::BTreeMap;
use std::path::Path;

use aiperf_config::Environment;
use aiperf_options::catalogue::OptionId;
use aiperf_options::{Given, RawOptions};
use serde_json::{Map, Value};

use crate::body::{self, FileRunOptions, truth_value};
use crate::custom_resource::{self, CustomResource};
use crate::field::BENCHMARK;
use crate::metrics_discovery::{self, MetricsDiscovery};
use crate::names::{camel, nearest, snake};
use crate::sweep::{self, SweepSection, Variation, whole_path};
use crate::written::{laid_over, redacted};
use crate::yaml::{self, Entry, Node, NodeValue, Position};
use crate::{FileError, command_line, environment, template};

/// Largest file that is read. Larger data belongs into a file of its own.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Keys of the envelope.
const ENVELOPE: [&str; 8] =
    ["schema_version", "benchmark", "sweep", "multi_run", "variables", "random_seed", "no_sweep_table", "plot"];

/// A configuration file whose environment references are filled in. Templates are rendered for each cell of a sweep.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    name: String,
    /// In the shape of the envelope; its keys are in `snake_case`.
    root: Node,
    /// What the file says about Kubernetes, if it is an object of it.
    custom_resource: Option<CustomResource>,
    warnings: Vec<String>,
}

impl ConfigFile {
    /// Reads a file; `variables` is the environment.
    pub fn load(path: &Path, variables: &BTreeMap<String, String>) -> Result<Self, FileError> {
        let name = path.display().to_string();
        let cannot = |reason: String| FileError::new(reason).in_file(&name);
        let size = std::fs::metadata(path).map_err(|error| cannot(format!("cannot be read: {error}")))?;
        if size.is_dir() {
            return Err(cannot("is a folder; name a YAML file".to_owned()));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|error| cannot(format!("cannot be read: {error}")))?;
        std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_BYTES + 1), &mut bytes)
            .map_err(|error| cannot(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(cannot(
                "is larger than 64 MiB; put data into a file of its own and name it under `path`".to_owned(),
            ));
        }
        let text = Self::text(bytes).map_err(|error| error.in_file(&name))?;
        Self::parse(&name, &text, variables)
    }

    /// The text of a file; other encodings are named.
    pub fn text(bytes: Vec<u8>) -> Result<String, FileError> {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(FileError::at(Position { line: 1, column: 1 }, "", "the file is UTF-16; save it as UTF-8"));
        }
        if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
            return Err(FileError::at(position(&bytes, at), "", "there is a NUL byte; this is not a text file"));
        }
        String::from_utf8(bytes).map_err(|error| {
            let at = position(error.as_bytes(), error.utf8_error().valid_up_to());
            FileError::at(at, "", "the file is not UTF-8; save it as UTF-8")
        })
    }

    /// Reads the text of a file that messages call `name`.
    pub fn parse(name: &str, text: &str, variables: &BTreeMap<String, String>) -> Result<Self, FileError> {
        Self::read(name, text, variables).map_err(|error| error.in_file(name))
    }

    fn read(name: &str, text: &str, variables: &BTreeMap<String, String>) -> Result<Self, FileError> {
        let mut root = yaml::read(text)?;
        if !matches!(root.value, NodeValue::Map(_)) {
            return Err(FileError::at(
                root.position,
                "",
                format!("the file must be a map of keys, not {}", root.kind()),
            ));
        }
        environment::substitute(&mut root, "", variables)?;
        let mut warnings = Vec::new();
        let mut custom_resource = None;
        if custom_resource::is_object(&root) {
            let (resource, configuration) = custom_resource::split(root)?;
            (custom_resource, root) = (Some(resource), configuration);
        }
        let root = envelope(root, name, &mut warnings)?;
        check_version(&root)?;
        if let Some(variables) = root.get("variables")
            && !matches!(variables.value, NodeValue::Map(_) | NodeValue::Null)
        {
            let problem = format!("must be a map of names and values, not {}", variables.kind());
            return Err(FileError::at(variables.position, "variables", problem));
        }
        Ok(Self { name: name.to_owned(), root, custom_resource, warnings })
    }

    /// What the file says about its deployment, if it is an `AIPerfJob` or an `AIPerfSweep`.
    pub fn custom_resource(&self) -> Option<&CustomResource> {
        self.custom_resource.as_ref()
    }

    /// Takes out what the file says about looking for metrics pages in a cluster.
    pub fn take_discovery(&mut self) -> Option<MetricsDiscovery> {
        metrics_discovery::take(&mut self.root)
    }

    /// As messages call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A section of the envelope.
    pub(crate) fn section(&self, name: &str) -> Option<&Node> {
        self.root.get(name)
    }

    /// The seed of all runs, with the place of the field.
    pub(crate) fn random_seed(&self) -> Result<Option<(String, String)>, FileError> {
        let Some(node) = self.root.get("random_seed") else { return Ok(None) };
        let Position { line, column } = node.position;
        let spelling = format!("randomSeed ({}:{line}:{column})", self.name);
        match node.value {
            NodeValue::Null => Ok(None),
            NodeValue::Int(_) => Ok(node.word().map(|seed| (spelling, seed))),
            _ => {
                let problem = format!("must be a whole number, not {}", node.kind());
                Err(FileError::at(node.position, "randomSeed", problem).in_file(&self.name))
            }
        }
    }

    /// Whether the tables of a sweep are left out; `None` if the file does not say.
    pub(crate) fn no_sweep_table(&self) -> Result<Option<bool>, FileError> {
        let Some(node) = self.root.get("no_sweep_table") else { return Ok(None) };
        let wrong = |problem| FileError::at(node.position, "noSweepTable", problem).in_file(&self.name);
        truth_value(node).map(Some).map_err(wrong)
    }

    /// The file with more parameters in its sweep; one that has no sweep gets a grid of them.
    pub(crate) fn with_lists(&self, lists: &[(String, Vec<Value>)]) -> Result<Self, FileError> {
        let mut file = self.clone();
        if lists.is_empty() {
            return Ok(file);
        }
        let wrong = |problem: String| FileError::new(problem).in_file(&self.name);
        let kind = self.root.get("sweep").and_then(|sweep| sweep.get("type")).and_then(Node::word);
        if let Some(kind) = kind.filter(|kind| kind != "grid") {
            return Err(wrong(format!(
                "sweep: a list of values on the command line cannot be added to a {kind} sweep; give one value"
            )));
        }
        let position = self.root.position;
        let node = |value: &Value| Node::from_json(value, position);
        if file.root.get("sweep").is_none()
            && let NodeValue::Map(entries) = &mut file.root.value
        {
            let value = node(&serde_json::json!({"type": "grid", "parameters": {}}));
            entries.push(Entry { key: "sweep".to_owned(), key_position: position, value });
        }
        let parameters = file.root.get_mut("sweep").and_then(|sweep| sweep.get_mut("parameters"));
        let Some(Node { value: NodeValue::Map(entries), .. }) = parameters else {
            return Err(wrong("sweep.parameters: must be a map from paths to lists of values".to_owned()));
        };
        for (path, values) in lists {
            if entries.iter().any(|entry| whole_path(&entry.key) == *path) {
                return Err(wrong(format!(
                    "sweep.parameters: {path} is already a parameter; give it no list on the command line"
                )));
            }
            let value = node(&Value::from(values.clone()));
            entries.push(Entry { key: path.clone(), key_position: position, value });
        }
        Ok(file)
    }

    /// This file with the options of the command line laid over it, as one file; templates are left as they are.
    pub fn resolved(&self, typed: &RawOptions) -> Result<Value, FileError> {
        let file = self.with_lists(&command_line::lists(typed))?;
        Ok(laid_over(file.root.to_json(), typed))
    }

    /// The same without secrets: what is written among the results of a run.
    pub fn shown(&self, typed: &RawOptions) -> Result<Value, FileError> {
        Ok(redacted(self.resolved(typed)?))
    }

    /// The file with its templates rendered and without secrets, for people. Templates of a sweep whose values only its points have
    /// stay as they are.
    pub fn rendered(&self) -> Result<Value, FileError> {
        self.read_variations()?;
        let mut root = self.root.clone();
        if let (Ok(body), Some(place)) = (rendered_body(&self.root), root.get_mut("benchmark")) {
            *place = body;
        }
        let Value::Object(shown) = redacted(root.to_json()) else { return Ok(Value::Null) };
        Ok(Value::Object(shown.into_iter().map(|(key, value)| (camel(&key), value)).collect()))
    }

    /// The variables of one run.
    pub(crate) fn variables_of(&self, variation: &Variation) -> Result<Map<String, Value>, FileError> {
        let variables = variation.root.get("variables").map(template::variables).transpose();
        let variables = variables.map_err(|error| error.in_file(&self.name))?.unwrap_or_default();
        Ok(variables.into_iter().collect())
    }

    /// Presets of charts: those under `plot`, or those of the file that it names.
    pub(crate) fn plot(&self, environment: &Environment) -> Result<Option<Value>, FileError> {
        let Some(node) = self.root.get("plot") else { return Ok(None) };
        let wrong = |problem: String| FileError::at(node.position, "plot", problem).in_file(&self.name);
        match &node.value {
            NodeValue::Null => Ok(None),
            NodeValue::Map(_) => Ok(Some(node.to_json())),
            NodeValue::Text(path) => {
                let text = std::fs::read_to_string(environment.current_dir.join(path));
                let text = text.map_err(|error| wrong(format!("{path} cannot be read: {error}")))?;
                let presets = yaml::read(&text).map_err(|error| error.in_file(path))?;
                Ok(Some(presets.to_json()))
            }
            _ => Err(wrong(format!("must be the path of a preset file or its contents, not {}", node.kind()))),
        }
    }

    /// What should be changed in the file.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The runs that the file describes, before the command line and trials.
    pub fn variations(&self) -> Result<Vec<Variation>, FileError> {
        self.sweep().and_then(|sweep| sweep.variations(&self.root)).map_err(|error| error.in_file(&self.name))
    }

    /// The run in which these paths have these values.
    pub(crate) fn variation_at(&self, values: &serde_json::Map<String, Value>) -> Result<Variation, FileError> {
        sweep::variation_at(&self.root, values).map_err(|error| error.in_file(&self.name))
    }

    /// The runs with their fields read, which finds mistakes in fields; rules about what goes together are not checked,
    /// and no other file is needed.
    pub fn read_variations(&self) -> Result<Vec<Variation>, FileError> {
        let variations = self.variations()?;
        for variation in &variations {
            self.options(variation)?;
        }
        Ok(variations)
    }

    /// The type of the sweep by the name that the reference has for it; `None` without a sweep.
    pub fn sweep_type(&self) -> Result<Option<&'static str>, FileError> {
        Ok(self.sweep()?.type_name())
    }

    /// The same file with a profiling phase, if it has no phase: a search for a capacity sets the load itself.
    pub(crate) fn with_a_phase(&self) -> Self {
        let mut file = self.clone();
        let position = file.root.position;
        if let Some(Node { value: NodeValue::Map(entries), .. }) = file.root.get_mut("benchmark")
            && !entries.iter().any(|entry| ["phases", "profiling", "warmup"].contains(&entry.key.as_str()))
        {
            let value = Node::from_json(&serde_json::json!({"type": "concurrency", "concurrency": 1}), position);
            entries.push(Entry { key: "profiling".to_owned(), key_position: position, value });
        }
        file
    }

    pub(crate) fn sweep(&self) -> Result<SweepSection, FileError> {
        SweepSection::read(self.root.get("sweep")).map_err(|error| error.in_file(&self.name))
    }

    /// The options among these that the runs of the file have, with the place of each in the file.
    pub fn options_among(&self, ids: &[OptionId]) -> Result<Vec<Given>, FileError> {
        let mut found: Vec<Given> = Vec::new();
        for variation in &self.variations()? {
            let FileRunOptions { run, phases, .. } = self.options(variation)?;
            let all = phases.iter().flat_map(|phase| phase.options.given()).chain(run.given());
            for given in all.filter(|given| ids.contains(&given.id)) {
                if !found.contains(given) {
                    found.push(given.clone());
                }
            }
        }
        Ok(found)
    }

    /// The options of one run.
    pub(crate) fn options(&self, variation: &Variation) -> Result<FileRunOptions, FileError> {
        let in_file = |error: FileError| error.in_file(&self.name);
        let body = rendered_body(&variation.root).map_err(in_file)?;
        body::read(&self.name, &body, "benchmark").map_err(in_file)
    }
}

/// The body of an envelope with its templates rendered.
pub(crate) fn rendered_body(root: &Node) -> Result<Node, FileError> {
    let variables = root.get("variables").map(template::variables).transpose()?.unwrap_or_default();
    let mut body = root.get("benchmark").cloned().ok_or_else(|| FileError::new("`benchmark` is missing"))?;
    template::render(&mut body, &variables)?;
    Ok(body)
}

/// Line and column of a byte.
fn position(bytes: &[u8], at: usize) -> Position {
    let before = &bytes[..at];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.split(|byte| *byte == b'\n').count();
    Position { line, column: 1 + String::from_utf8_lossy(&before[line_start..]).chars().count() }
}

/// Gives a file the shape of the envelope. A file that has the keys of the body at its top is an older form.
fn envelope(root: Node, name: &str, warnings: &mut Vec<String>) -> Result<Node, FileError> {
    let position = root.position;
    let NodeValue::Map(entries) = root.value else { return Ok(root) };
    let is_flat = !entries.iter().any(|entry| entry.key == "benchmark");
    let body_key = |key: &str| {
        ["datasets", "dataset", "phases", "profiling", "warmup"].contains(&key)
            || BENCHMARK.iter().any(|field| field.is_called(key))
    };
    let mut outside: Vec<Entry> = Vec::new();
    let mut inside: Vec<Entry> = Vec::new();
    for mut entry in entries {
        let key = snake(&entry.key);
        if ENVELOPE.contains(&key.as_str()) {
            if outside.iter().any(|other| other.key == key) {
                return Err(FileError::at(
                    entry.key_position,
                    "",
                    format!("the key {} is given twice; keep one of them", camel(&key)),
                ));
            }
            entry.key = key;
            outside.push(entry);
        } else if is_flat && body_key(&key) {
            inside.push(entry);
        } else {
            let known = ENVELOPE.iter().copied();
            let advice = if body_key(&key) {
                "it belongs under `benchmark`".to_owned()
            } else {
                nearest(&entry.key, known).map_or_else(
                    || format!("known here: {}", ENVELOPE.map(camel).join(", ")),
                    |near| format!("did you mean {}?", camel(near)),
                )
            };
            return Err(FileError::at(entry.key_position, &entry.key, format!("unknown key {}; {advice}", entry.key)));
        }
    }
    if is_flat {
        if inside.is_empty() {
            return Err(FileError::at(
                position,
                "",
                "`benchmark` is missing; `aiperf config init` prints files to begin with",
            ));
        }
        warnings.push(format!(
            "{name}: the keys of a run at the top of the file are an older form; put them under `benchmark`"
        ));
        let value = Node { value: NodeValue::Map(inside), position };
        outside.push(Entry { key: "benchmark".to_owned(), key_position: position, value });
    }
    Ok(Node { value: NodeValue::Map(outside), position })
}

fn check_version(root: &Node) -> Result<(), FileError> {
    match root.get("schema_version") {
        None => Ok(()),
        Some(node) if ["2.0", "2"].contains(&node.word().unwrap_or_default().as_str()) => Ok(()),
        Some(node) => {
            let problem = format!("{:?} is not known; write \"2.0\"", node.word().unwrap_or_default());
            Err(FileError::at(node.position, "schemaVersion", problem))
        }
    }
}
