//! Where the requests go: the URLs as given, and simulators started for those that say `sim:`.

use std::net::{Ipv4Addr, SocketAddr};

use aiperf_address::{Address, Origin, RequestTarget, Scheme};
use aiperf_config::{EndpointConfig, Target};
use aiperf_grpc::kserve::KserveCall;
use aiperf_redact::shown_url;
use aiperf_sim::{Sim, SimOptions};

use crate::error::RunError;

/// The servers of a run. Dropping it stops the simulators among them.
#[derive(Debug)]
pub(crate) struct Targets {
    pub(crate) requests: Vec<RequestTarget>,
    /// The addresses that these belong to, in the same order.
    pub(crate) bases: Vec<Address>,
    simulators: Vec<Sim>,
}

impl Targets {
    /// `model` stands in the path of some APIs.
    pub(crate) fn open(endpoint: &EndpointConfig, model: &str) -> Result<Self, RunError> {
        let own_path = match &endpoint.method {
            Some(method) => method.name.path(),
            None if endpoint.wire.is_grpc() && endpoint.streaming => KserveCall::ModelStreamInfer.path(),
            None if endpoint.wire.is_grpc() => KserveCall::ModelInfer.path(),
            None => endpoint.kind.path(endpoint.streaming).replace("{model}", model),
        };
        let path = endpoint.custom_path.as_deref().unwrap_or(&own_path);
        let mut requests = Vec::new();
        let mut bases = Vec::new();
        let mut simulators = Vec::new();
        for target in &endpoint.targets {
            let base = match target {
                Target::Url(address) => address.clone(),
                Target::Sim(sim) => {
                    let options = SimOptions::from_query(&sim.query)?;
                    let running = Sim::start(options, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
                    let scheme = if endpoint.wire.is_grpc() { Scheme::Grpc } else { Scheme::Http };
                    let base = Address::of_server(scheme, &running.addr().ip().to_string(), running.addr().port());
                    log::info!("Simulator listening on {}", base.as_str());
                    simulators.push(running);
                    base
                }
            };
            if base.credentials().is_some() {
                return Err(RunError::UrlCredentials(shown_url(base.as_str())));
            }
            requests.push(base.request_target(path));
            bases.push(base);
        }
        Ok(Self { requests, bases, simulators })
    }

    /// Addresses of the simulators among them.
    pub(crate) fn simulated(&self) -> impl Iterator<Item = &Origin> {
        let is_simulator = |origin: &Origin| {
            self.simulators.iter().any(|sim| sim.addr().to_string() == format!("{}:{}", origin.host, origin.port))
        };
        self.requests.iter().map(|target| &target.origin).filter(move |origin| is_simulator(origin))
    }

    pub(crate) fn need_tls(&self) -> bool {
        self.requests.iter().any(|target| target.origin.scheme.is_secure())
    }

    /// The servers of a run, in a few words.
    pub(crate) fn shown(&self) -> String {
        let mut shown: Vec<String> = self.bases.iter().map(|base| shown_url(base.as_str())).collect();
        shown.dedup();
        match &shown[..] {
            [first] => first.clone(),
            [first, others @ ..] => format!("{first} and {} more", others.len()),
            [] => String::new(),
        }
    }
}
