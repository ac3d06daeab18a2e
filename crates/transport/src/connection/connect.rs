//! Opens a connection and stamps each step of it: name lookup, TCP handshake (with a proxy's tunnel), TLS handshake.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use aiperf_address::{HttpVersion, IpVersion, Origin, Proxy, Scheme};
use aiperf_clock::Mono;
use aiperf_socket::{StampedStream, connect_tcp, connect_unix};
use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;

use super::byte_stream::ByteStream;
use super::certificate::{is_certificate_error, with_advice};
use super::proxy_tunnel::tunnel;
use super::tls::TlsSettings;
use crate::client::Client;
use crate::error::TransportError;
use crate::exchange::{ExchangeTrace, StageSpan};

/// A connection that is ready for a request.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    pub(crate) stream: ByteStream,
    pub(crate) local: Option<SocketAddr>,
    pub(crate) remote: Option<SocketAddr>,
}

impl Client {
    pub(crate) async fn connect(
        &self,
        origin: &Origin,
        trace: &mut ExchangeTrace,
    ) -> Result<OpenConnection, TransportError> {
        let proxy = self.settings.proxies.of(origin);
        let peer = proxy.map_or(origin, |proxy| &proxy.origin);
        let addresses = self.resolve(peer, trace).await?;
        let start = Mono::now();
        let opened = match peer.scheme {
            Scheme::Unix => connect_unix(Path::new(&peer.host)).await,
            _ => self.connect_any(&addresses).await,
        };
        let stream = opened.map_err(|cause| match proxy {
            None => TransportError::Connect { origin: origin.clone(), cause },
            Some(proxy) => unreachable_proxy(proxy, &cause),
        })?;
        let (local, remote) = (stream.local_addr(), stream.peer_addr());
        let mut stream = ByteStream::Plain(stream);
        if let Some(proxy) = proxy {
            stream = self.pass(origin, proxy, stream).await?;
        }
        trace.connect = Some(StageSpan { start, end: Mono::now() });
        if origin.scheme.is_secure() {
            stream = self.secure_server(origin, stream, trace).await?;
        }
        Ok(OpenConnection { stream, local, remote })
    }

    /// Opens a connection to `origin` and closes it: how long the TCP handshake took, which is one round trip.
    pub async fn round_trip(&self, origin: &Origin) -> Result<StageSpan, TransportError> {
        let addresses = self.resolve(origin, &mut ExchangeTrace::default()).await?;
        let start = Mono::now();
        let opened = self.connect_any(&addresses).await;
        let end = Mono::now();
        opened.map_err(|cause| TransportError::Connect { origin: origin.clone(), cause })?;
        Ok(StageSpan { start, end })
    }

    /// Connects through a proxy: TLS to the proxy if it wants that, and a tunnel if the server is spoken to under TLS.
    async fn pass(&self, origin: &Origin, proxy: &Proxy, mut stream: ByteStream) -> Result<ByteStream, TransportError> {
        if proxy.origin.scheme.is_secure() {
            let refused = |cause: io::Error| unreachable_proxy(proxy, &with_advice(cause));
            let connector = self.tls().and_then(TlsSettings::to_proxy).map_err(refused)?;
            stream = handshake(&connector, &proxy.origin.host, stream).await.map_err(refused)?;
        }
        if origin.scheme.is_secure() {
            tunnel(&mut stream, origin, proxy).await?;
        }
        Ok(stream)
    }

    fn tls(&self) -> io::Result<&TlsSettings> {
        self.settings.tls.as_ref().ok_or_else(|| io::Error::other("TLS is not set up for this client"))
    }

    async fn secure_server(
        &self,
        origin: &Origin,
        stream: ByteStream,
        trace: &mut ExchangeTrace,
    ) -> Result<ByteStream, TransportError> {
        let refused = |cause: io::Error| TransportError::Tls {
            origin: origin.clone(),
            certificate: is_certificate_error(&cause),
            cause: with_advice(cause),
        };
        let connector = self.tls().and_then(TlsSettings::to_server).map_err(refused)?;
        let start = Mono::now();
        let stream = handshake(&connector, &origin.host, stream).await.map_err(refused)?;
        trace.tls = Some(StageSpan { start, end: Mono::now() });
        if self.settings.http_version == HttpVersion::Http2
            && stream.agreed_protocol() != Some(HttpVersion::Http2.alpn())
        {
            return Err(TransportError::Protocol("the server did not agree to HTTP/2; use --http-version 1.1".into()));
        }
        Ok(stream)
    }

    /// Connects to the first address that accepts; fails with the error of the last address.
    async fn connect_any(&self, addresses: &[SocketAddr]) -> io::Result<StampedStream> {
        let mut refused = io::Error::other("the host has no address");
        for address in addresses {
            match connect_tcp(*address, &self.settings.sources, &self.settings.socket, &self.settings.stamping).await {
                Ok(stream) => return Ok(stream),
                Err(cause) => refused = cause,
            }
        }
        Err(refused)
    }

    /// The addresses of the host: the host itself if it is a literal, otherwise looked up and cached. A Unix socket has none.
    async fn resolve(&self, origin: &Origin, trace: &mut ExchangeTrace) -> Result<Vec<SocketAddr>, TransportError> {
        if origin.scheme == Scheme::Unix {
            return Ok(Vec::new());
        }
        if let Ok(ip) = origin.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, origin.port)]);
        }
        if let Some((since, known)) = self.resolved.borrow().get(origin)
            && Mono::now().since(*since) < self.settings.dns_cache
        {
            return Ok(known.clone());
        }
        let failed = |cause| TransportError::Resolve { host: origin.host.clone(), cause };
        let start = Mono::now();
        let found = tokio::net::lookup_host((origin.host.as_str(), origin.port)).await.map_err(failed)?;
        trace.dns = Some(StageSpan { start, end: Mono::now() });
        let addresses = of_version(self.settings.ip_version, found.collect());
        if addresses.is_empty() {
            return Err(failed(io::Error::other(
                "it has no address of the requested IP version (AIPERF_HTTP_IP_VERSION)",
            )));
        }
        self.resolved.borrow_mut().insert(origin.clone(), (Mono::now(), addresses.clone()));
        Ok(addresses)
    }
}

fn unreachable_proxy(proxy: &Proxy, cause: &io::Error) -> TransportError {
    TransportError::Proxy { proxy: proxy.origin.clone(), status: None, reason: format!("cannot be reached: {cause}") }
}

async fn handshake(connector: &TlsConnector, host: &str, stream: ByteStream) -> io::Result<ByteStream> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    Ok(match stream {
        ByteStream::Plain(stream) => ByteStream::Tls(Box::new(connector.connect(name, stream).await?)),
        ByteStream::Tls(stream) => ByteStream::TlsInTls(Box::new(connector.connect(name, *stream).await?)),
        ByteStream::TlsInTls(_) => return Err(io::Error::other("there is one proxy at most")),
    })
}

fn of_version(version: IpVersion, mut found: Vec<SocketAddr>) -> Vec<SocketAddr> {
    match version {
        IpVersion::V4 => found.retain(SocketAddr::is_ipv4),
        IpVersion::V6 => found.retain(SocketAddr::is_ipv6),
        IpVersion::Auto => found.sort_by_key(SocketAddr::is_ipv6),
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_chosen_by_ip_version() {
        let v4: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let v6: SocketAddr = "[::1]:80".parse().unwrap();
        assert_eq!(of_version(IpVersion::V4, vec![v6, v4]), [v4]);
        assert_eq!(of_version(IpVersion::V6, vec![v6, v4]), [v6]);
        assert_eq!(of_version(IpVersion::Auto, vec![v6, v4]), [v4, v6]);
    }
}
