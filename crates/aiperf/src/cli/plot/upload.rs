//! `aiperf plot --mlflow-upload`: the MLflow run that gets the pictures.

use clap::ArgMatches;

use super::{PlotTarget, refused};
use crate::cli::CliError;

/// What the command line says about the MLflow run; the rest comes from `mlflow_export.json` in the artifact folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlotUpload {
    pub(crate) tracking_uri: Option<String>,
    pub(crate) run_id: Option<String>,
}

impl PlotUpload {
    pub(super) fn read(matches: &ArgMatches, folders: usize, target: PlotTarget) -> Result<Option<Self>, CliError> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let (tracking_uri, run_id) = (text("mlflow-tracking-uri"), text("mlflow-run-id"));
        if !matches.get_flag("mlflow-upload") {
            let needs = "has an effect only with --mlflow-upload; add it";
            return match (tracking_uri, run_id) {
                (Some(_), _) => Err(refused("--mlflow-tracking-uri", needs.to_owned())),
                (None, Some(_)) => Err(refused("--mlflow-run-id", needs.to_owned())),
                (None, None) => Ok(None),
            };
        }
        if target != PlotTarget::Files {
            let problem = "uploads the files that the command writes; leave out the option that writes none";
            return Err(refused("--mlflow-upload", problem.to_owned()));
        }
        if folders != 1 {
            let problem = format!("the pictures of one folder go to its MLflow run, and {folders} folders are named");
            return Err(refused("--mlflow-upload", problem));
        }
        Ok(Some(Self { tracking_uri, run_id }))
    }
}
