//! The MLflow run that a benchmark is stored in.

use std::path::{Path, PathBuf};

use aiperf_address::{Address, Scheme, Secret, percent_decoded};
use aiperf_redact::shown_url;
use serde_json::{Map, Value, json};

use crate::Environment;
use crate::section::Section;

/// Experiment of runs whose user names none.
pub const MLFLOW_EXPERIMENT: &str = "aiperf";

/// A benchmark is stored in MLflow.
#[derive(Debug, Clone, PartialEq)]
pub struct MlflowConfig {
    pub tracking: MlflowTracking,
    pub experiment: Option<String>,
    pub run_name: Option<String>,
    /// `--mlflow-tag`, in the order given.
    pub tags: Vec<(String, String)>,
    pub parent_run_id: Option<String>,
    /// `--mlflow-artifact-glob`; empty: the usual files.
    pub artifact_globs: Vec<String>,
}

/// Where MLflow keeps its runs.
#[derive(Debug, Clone, PartialEq)]
pub enum MlflowTracking {
    Server {
        address: Address,
        /// `MLFLOW_TRACKING_TOKEN`, or `MLFLOW_TRACKING_USERNAME` and `MLFLOW_TRACKING_PASSWORD`.
        login: Option<MlflowLogin>,
    },
    /// A folder in the layout of MLflow's file store.
    Folder(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MlflowLogin {
    Token(Secret),
    /// `user:password`.
    Basic(Secret),
}

impl MlflowTracking {
    /// The server or the folder that a tracking URI names. The error says what to give instead.
    pub fn parse(text: &str, environment: &Environment) -> Result<Self, String> {
        let folder = |path: &str| match path {
            "" => Err("the path of the folder is empty".to_owned()),
            path => Ok(Self::Folder(environment.current_dir.join(Path::new(path)))),
        };
        if let Some(path) = text.strip_prefix("file:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return folder(&percent_decoded(path));
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("http" | "https") => server(text, environment),
            Some(other) => Err(format!(
                "aiperf stores runs on MLflow servers (http://, https://) and in folders (file:); it does not open {other}:// stores. \
                 Start a server with `mlflow server --backend-store-uri ...` and give its address"
            )),
            None if text == "databricks" || text.starts_with("databricks:") => {
                Err("Databricks is not supported; give the address of an MLflow server".to_owned())
            }
            None if is_host_and_port(text) => server(text, environment),
            None => folder(text),
        }
    }

    /// The URI without secrets.
    pub fn shown(&self) -> String {
        match self {
            Self::Server { address, .. } => shown_url(address.as_str()),
            Self::Folder(path) => format!("file://{}", path.display()),
        }
    }
}

impl MlflowConfig {
    pub fn experiment(&self) -> &str {
        self.experiment.as_deref().unwrap_or(MLFLOW_EXPERIMENT)
    }
}

/// `localhost:5000`, as opposed to a path.
fn is_host_and_port(text: &str) -> bool {
    let authority = text.split('/').next().unwrap_or_default();
    authority.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

fn server(text: &str, environment: &Environment) -> Result<MlflowTracking, String> {
    let address = Address::parse(text, Scheme::Http).map_err(|error| error.to_string())?;
    let variable = |name: &str| environment.variables.get(name).filter(|value| !value.is_empty());
    let login = if let Some(credentials) = address.credentials() {
        Some(MlflowLogin::Basic(credentials.joined()))
    } else if let Some(user) = variable("MLFLOW_TRACKING_USERNAME") {
        let password = variable("MLFLOW_TRACKING_PASSWORD").map_or("", |password| password);
        Some(MlflowLogin::Basic(Secret(format!("{user}:{password}"))))
    } else {
        variable("MLFLOW_TRACKING_TOKEN").map(|token| MlflowLogin::Token(Secret(token.clone())))
    };
    Ok(MlflowTracking::Server { address, login })
}

/// The section of the configuration that files show.
pub(crate) fn section(mlflow: Option<&MlflowConfig>) -> Value {
    let Some(mlflow) = mlflow else { return json!({}) };
    let mut section = Section::default();
    section.put("tracking_uri", mlflow.tracking.shown());
    section.put_some("experiment", mlflow.experiment.as_deref());
    section.put_some("run_name", mlflow.run_name.as_deref());
    if !mlflow.tags.is_empty() {
        let tags = mlflow.tags.iter().map(|(name, value)| (name.clone(), json!(value)));
        section.put("tags", tags.collect::<Map<_, _>>());
    }
    section.put_some("parent_run_id", mlflow.parent_run_id.as_deref());
    if !mlflow.artifact_globs.is_empty() {
        section.put("artifact_globs", mlflow.artifact_globs.clone());
    }
    section.finish()
}
