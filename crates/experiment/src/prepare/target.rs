//! Where the requests go: the URLs as given, and simulators started for those that say `sim:`.

use std::net::{Ipv4Addr, SocketAddr};

use aiperf_config::{EndpointConfig, Target};
use aiperf_endpoint::{RequestUrl, request_url};
use aiperf_engine::RequestTarget;
use aiperf_grpc::kserve::Call;
use aiperf_sim::{Sim, SimOptions};
use aiperf_transport::{Origin, Scheme};

use crate::error::RunError;

/// The servers of a run. Dropping it stops the simulators among them.
#[derive(Debug)]
pub(crate) struct Targets {
    pub(crate) requests: Vec<RequestTarget>,
    /// Base URLs, in the same order.
    pub(crate) bases: Vec<String>,
    simulators: Vec<Sim>,
}

impl Targets {
    /// `model` stands in the path of some APIs.
    pub(crate) fn open(endpoint: &EndpointConfig, model: &str) -> Result<Self, RunError> {
        let own_path = match &endpoint.method {
            Some(method) => method.name.path(),
            None if endpoint.wire.is_grpc() && endpoint.streaming => Call::ModelStreamInfer.path(),
            None if endpoint.wire.is_grpc() => Call::ModelInfer.path(),
            None => endpoint.kind.path(endpoint.streaming).replace("{model}", model),
        };
        let path = endpoint.custom_path.as_deref().unwrap_or(&own_path);
        let mut requests = Vec::new();
        let mut bases = Vec::new();
        let mut simulators = Vec::new();
        for target in &endpoint.targets {
            let base = match target {
                Target::Url(url) => url.clone(),
                Target::Sim(sim) => {
                    let options = SimOptions::from_query(&sim.query)?;
                    let running = Sim::start(options, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
                    let scheme = if endpoint.wire.is_grpc() { "grpc" } else { "http" };
                    let base = format!("{scheme}://{}", running.addr());
                    log::info!("Simulator listening on {base}");
                    simulators.push(running);
                    base
                }
            };
            let url = request_url(&base, Some(path), endpoint.kind, endpoint.streaming)?;
            requests.push(request_target(url));
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
        self.requests.iter().any(|target| target.origin.scheme == Scheme::Https)
    }
}

/// The same URL in the words of the transport.
pub(crate) fn request_target(url: RequestUrl) -> RequestTarget {
    RequestTarget {
        origin: Origin {
            scheme: match url.scheme {
                aiperf_endpoint::Scheme::Http => Scheme::Http,
                aiperf_endpoint::Scheme::Https => Scheme::Https,
                aiperf_endpoint::Scheme::Unix => Scheme::Unix,
            },
            host: url.host,
            port: url.port,
        },
        path_and_query: url.path_and_query,
        host_header: url.host_header,
    }
}
