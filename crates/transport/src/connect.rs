//! Opens a connection and stamps each step of it: name lookup, TCP handshake, TLS handshake.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use aiperf_clock::Mono;
use aiperf_socket::{StampedStream, connect_tcp, connect_unix};
use rustls::pki_types::ServerName;

use crate::client::{Client, HttpVersion, IpVersion};
use crate::connection::{Connection, Wire};
use crate::error::TransportError;
use crate::exchange::{Span, Trace};
use crate::origin::{Origin, Scheme};
use crate::tls::is_certificate_error;

impl Client {
    pub(crate) async fn connect(&self, origin: &Origin, trace: &mut Trace) -> Result<Connection, TransportError> {
        let addresses = self.resolve(origin, trace).await?;
        let start = Mono::now();
        let opened = match origin.scheme {
            Scheme::Unix => connect_unix(Path::new(&origin.host)).await,
            Scheme::Http | Scheme::Https => self.connect_any(&addresses).await,
        };
        let stream = opened.map_err(|cause| TransportError::Connect { origin: origin.clone(), cause })?;
        trace.connect = Some(Span { start, end: Mono::now() });
        let (local, remote) = (stream.local_addr(), stream.peer_addr());
        let wire = match origin.scheme {
            Scheme::Http | Scheme::Unix => Wire::Plain(stream),
            Scheme::Https => self.handshake(origin, stream, trace).await?,
        };
        Ok(Connection { wire, local, remote })
    }

    /// Opens a connection to `origin` and closes it: how long the TCP handshake took, which is one round trip.
    pub async fn round_trip(&self, origin: &Origin) -> Result<Span, TransportError> {
        let addresses = self.resolve(origin, &mut Trace::default()).await?;
        let start = Mono::now();
        let opened = self.connect_any(&addresses).await;
        let end = Mono::now();
        opened.map_err(|cause| TransportError::Connect { origin: origin.clone(), cause })?;
        Ok(Span { start, end })
    }

    async fn handshake(
        &self,
        origin: &Origin,
        stream: StampedStream,
        trace: &mut Trace,
    ) -> Result<Wire, TransportError> {
        let refused = |cause: io::Error| TransportError::Tls {
            origin: origin.clone(),
            certificate: is_certificate_error(&cause),
            cause,
        };
        let Some(tls) = &self.settings.tls else {
            return Err(refused(io::Error::other("TLS is not set up for this client")));
        };
        let name = ServerName::try_from(origin.host.clone()).map_err(|e| refused(io::Error::other(e)))?;
        let start = Mono::now();
        let secured = tls.connector().connect(name, stream).await.map_err(refused)?;
        trace.tls = Some(Span { start, end: Mono::now() });
        if self.settings.http_version == HttpVersion::Http2
            && secured.get_ref().1.alpn_protocol() != Some(HttpVersion::Http2.alpn())
        {
            return Err(TransportError::Protocol("the server did not agree to HTTP/2; use --http-version 1.1".into()));
        }
        Ok(Wire::Tls(Box::new(secured)))
    }

    /// The first address that accepts; the last one's error when none does.
    async fn connect_any(&self, addresses: &[SocketAddr]) -> io::Result<StampedStream> {
        let mut refused = io::Error::other("the host has no address");
        for address in addresses {
            match connect_tcp(*address, &self.settings.sources, &self.settings.stamping).await {
                Ok(stream) => return Ok(stream),
                Err(cause) => refused = cause,
            }
        }
        Err(refused)
    }

    /// Addresses of the host: itself when it is a literal, else looked up once per run and worker. A Unix socket has none.
    async fn resolve(&self, origin: &Origin, trace: &mut Trace) -> Result<Vec<SocketAddr>, TransportError> {
        if origin.scheme == Scheme::Unix {
            return Ok(Vec::new());
        }
        if let Ok(ip) = origin.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, origin.port)]);
        }
        if let Some(known) = self.resolved.borrow().get(origin) {
            return Ok(known.clone());
        }
        let failed = |cause| TransportError::Resolve { host: origin.host.clone(), cause };
        let start = Mono::now();
        let found = tokio::net::lookup_host((origin.host.as_str(), origin.port)).await.map_err(failed)?;
        trace.dns = Some(Span { start, end: Mono::now() });
        let addresses = self.settings.ip_version.select(found.collect());
        if addresses.is_empty() {
            return Err(failed(io::Error::other("it has no address of the wanted IP version")));
        }
        self.resolved.borrow_mut().insert(origin.clone(), addresses.clone());
        Ok(addresses)
    }
}

impl IpVersion {
    fn select(self, mut found: Vec<SocketAddr>) -> Vec<SocketAddr> {
        match self {
            Self::V4 => found.retain(SocketAddr::is_ipv4),
            Self::V6 => found.retain(SocketAddr::is_ipv6),
            Self::Any => found.sort_by_key(SocketAddr::is_ipv6),
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_chosen_by_ip_version() {
        let v4: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let v6: SocketAddr = "[::1]:80".parse().unwrap();
        assert_eq!(IpVersion::V4.select(vec![v6, v4]), [v4]);
        assert_eq!(IpVersion::V6.select(vec![v6, v4]), [v6]);
        assert_eq!(IpVersion::Any.select(vec![v6, v4]), [v4, v6]);
    }
}
