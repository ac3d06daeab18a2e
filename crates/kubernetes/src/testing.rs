//! Deployments for tests.

use crate::deployment::{Deployment, Description};
use crate::memory::RunLoad;
use crate::name::RunName;

/// One node without anything special.
pub(crate) fn small() -> Deployment {
    let config = "schemaVersion: \"2.0\"\nbenchmark:\n  model: m\n".to_owned();
    Deployment {
        namespace: Some("bench".to_owned()),
        image: "registry.example/aiperf:0.1".to_owned(),
        load: RunLoad { concurrency: Some(32), requests: Some(1000) },
        description: Description { model: "m".to_owned(), endpoint: "http://server:8000".to_owned() },
        ..Deployment::new(RunName::of_model("m", "test"), config, "token-for-tests".to_owned())
    }
}
