//! Simulators inside the test, whose truth is at hand.

use std::collections::HashMap;
use std::sync::Arc;

use aiperf_sim::{Sim, SimOptions, TruthRecord};
use serde_json::Value;

/// A simulator on a free port, with the options of a `sim:` URL. Request bodies are kept.
pub(crate) fn sim(options: &str) -> Sim {
    let mut options = SimOptions::from_query(options).unwrap();
    options.truth_bodies = true;
    Sim::start(options, ([127, 0, 0, 1], 0).into()).unwrap()
}

/// The truth about requests, by the id that the client gave each.
pub(crate) fn by_request_id(sim: &Sim) -> HashMap<String, Arc<TruthRecord>> {
    sim.truth().into_iter().map(|truth| (truth.request_id.clone().unwrap(), truth)).collect()
}

/// The bodies that the server saw, in order of arrival.
pub(crate) fn requests(sim: &Sim) -> Vec<Value> {
    sim.truth().iter().map(|truth| serde_json::from_str(truth.body.as_deref().unwrap()).unwrap()).collect()
}
