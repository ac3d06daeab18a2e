//! Sessions for tests, from options as a user would type them.

use std::path::PathBuf;
use std::sync::Arc;

use aiperf_config::Environment;
use aiperf_endpoint::BuildError;
use aiperf_options::{RawOptions, catalogue};
use aiperf_seed::Seed;
use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};

use super::{Renderer, Sessions};
use crate::prepare::discovery::Discovered;
use crate::prepare::settings;

pub(crate) fn synthetic(entries: usize) -> Sessions {
    sessions(&[&format!("--num-dataset-entries={entries}"), "--isl=10"], usize::MAX).unwrap()
}

pub(super) fn sessions(words: &[&str], room: usize) -> Result<Sessions, BuildError> {
    let mut raw = RawOptions::default();
    for word in ["--model=m", "--random-seed=3"].iter().chain(words) {
        let (name, value) = word.split_once('=').unwrap();
        let spec = catalogue::options().find(|spec| spec.long.iter().any(|long| name == format!("--{long}"))).unwrap();
        raw.push(spec.id, name, vec![value.to_owned()]);
    }
    let environment = Environment { current_dir: PathBuf::from("/"), ..Environment::default() };
    let config = raw.resolve(&environment).unwrap();
    let nowhere = HubEnvironment::from_variables(|_| None);
    let tokenizer = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap();
    let dataset = Arc::new(aiperf_dataset::build(&config.dataset, Seed::fixed(3), &tokenizer).unwrap());
    let endpoint = aiperf_endpoint::of(
        config.endpoint.kind,
        &settings::endpoint_settings(&config, Discovered::default()).unwrap(),
    );
    let renderer = Renderer { endpoint, options: settings::body_options(&config) };
    Sessions::prepare(dataset, config.endpoint.kind, renderer, None, 0, room)
}
