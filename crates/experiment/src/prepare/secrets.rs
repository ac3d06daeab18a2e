//! The secrets of a run: which of its settings carry them, and which parts of a result may repeat them.

use aiperf_config::{Config, EndpointConfig, Target};
use aiperf_metrics::{Failure, FailureKind};
use aiperf_redact::{SecretFields, Secrets, is_secret_header, keys_in_url, values_of_credentials, values_of_header};
use aiperf_transport::Exchange;

use super::settings;

/// Everything that the requests of this run carry and no file may show.
pub(crate) fn secrets_of(config: &Config) -> Secrets {
    let endpoint = &config.endpoint;
    let mut values = keys_in_urls(endpoint);
    for (name, value) in settings::own_headers(endpoint) {
        if is_secret_header(&name) {
            values.extend(values_of_header(&name, &value));
        }
    }
    if config.tuning.trust_env {
        values.extend(
            endpoint.proxies.all().filter_map(|proxy| proxy.credentials.as_ref()).flat_map(values_of_credentials),
        );
    }
    Secrets::new(values, SecretFields::of(&endpoint.extra_inputs))
}

pub(crate) fn hide_in_failure(secrets: &Secrets, failure: &mut Failure) {
    let cause = failure.cause.as_mut().map(|cause| &mut cause.message);
    let kind = match &mut failure.kind {
        FailureKind::Other(name) => Some(name),
        _ => None,
    };
    for text in [kind, Some(&mut failure.message), cause].into_iter().flatten() {
        secrets.hide_in_message(text);
    }
}

/// Takes them out of what records show of a response in addition to its headers and its body.
pub(crate) fn hide_in_head(secrets: &Secrets, exchange: &mut Exchange) {
    secrets.hide_in_place(&mut exchange.reason);
    exchange.redirects.iter_mut().for_each(|hop| secrets.hide_in_place(&mut hop.to));
}

fn keys_in_urls(endpoint: &EndpointConfig) -> Vec<String> {
    let urls = endpoint.targets.iter().filter_map(|target| match target {
        Target::Url(address) => Some(address.as_str()),
        Target::Sim(_) => None,
    });
    let reset = endpoint.reset_kv_cache.iter().map(|reset| reset.path.as_str());
    let profiler = endpoint.server_profiler.iter().flat_map(|hook| [hook.start_path.as_str(), &hook.stop_path]);
    urls.chain(endpoint.custom_path.as_deref()).chain(reset).chain(profiler).flat_map(keys_in_url).collect()
}
