//! The bus on NATS `JetStream`. Its connection lives on threads of its own, so that a caller may be any thread.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::net::ToSocketAddrs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, kv, object_store, stream};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, Subscriber};
use futures_util::StreamExt;
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout_at};

use super::access::SignIn;
use super::{Answer, Bus, NatsAccess, StreamMessage, Subscription};
use crate::ClusterError;

/// Name of the threads of the connection.
const THREAD: &str = "nats";
/// No answer within this time is a failure; the caller decides whether to try again.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause between two attempts to connect for the first time.
const CONNECT_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause between two attempts to connect again.
const RECONNECT_PAUSE: Duration = Duration::from_millis(500);
/// How long the stream knows the ids of messages: longer than any repeat of a call can take.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);
/// How long the server may take to say that a read is over.
const READ_MARGIN: Duration = Duration::from_millis(200);
/// A reader that nobody asks is forgotten by the server.
const READER_LIFETIME: Duration = Duration::from_secs(60);

pub struct NatsBus {
    runtime: Runtime,
    client: Client,
    context: jetstream::Context,
    buckets: Mutex<HashMap<String, kv::Store>>,
    reader: Mutex<Option<StreamReader>>,
    /// How often a connection was made.
    connections: Arc<AtomicU64>,
}

/// A consumer and the sequence index that it goes on after.
struct StreamReader {
    stream: String,
    after: u64,
    consumer: PullConsumer,
    /// The connection that it was made on: a server that was restarted does not know it.
    connection: u64,
}

impl fmt::Debug for NatsBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsBus").field("state", &self.client.connection_state()).finish_non_exhaustive()
    }
}

impl NatsBus {
    pub fn connect(access: &NatsAccess, name: &str) -> Result<Self, ClusterError> {
        let failed = |reason: String| ClusterError::Connect { url: aiperf_redact::shown_url(&access.url), reason };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name(THREAD)
            .enable_all()
            .build()
            .map_err(|cause| failed(cause.to_string()))?;
        let connections = Arc::new(AtomicU64::new(0));
        let client = runtime.block_on(first_connection(access, name, &connections)).map_err(failed)?;
        let mut context = {
            // It starts a task.
            let _runtime = runtime.enter();
            jetstream::new(client.clone())
        };
        context.set_timeout(PATIENCE);
        Ok(Self { runtime, client, context, buckets: Mutex::default(), reader: Mutex::default(), connections })
    }

    /// The address of this machine that packets to the server leave from.
    pub fn own_address(access: &NatsAccess) -> Option<String> {
        let host = access.url.split(',').next()?.split_once("://")?.1.trim_end_matches('/');
        let host = if host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
            host.to_owned()
        } else {
            format!("{host}:4222")
        };
        let server = host.to_socket_addrs().ok()?.next()?;
        let any = if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        // Nothing is sent: the kernel only chooses a route.
        let socket = std::net::UdpSocket::bind(any).ok()?;
        socket.connect(server).ok()?;
        Some(socket.local_addr().ok()?.ip().to_string())
    }

    fn wait<T, E: ToString>(&self, what: &str, call: impl Future<Output = Result<T, E>>) -> Result<T, ClusterError> {
        self.runtime
            .block_on(async { tokio::time::timeout(PATIENCE, call).await })
            .map_err(|_| ClusterError::bus(what, "no answer within 5 s"))?
            .map_err(|error| ClusterError::bus(what, error))
    }

    fn bucket(&self, name: &str) -> Result<kv::Store, ClusterError> {
        if let Some(known) = self.buckets.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Ok(known.clone());
        }
        let store = self.wait(&format!("open the bucket {name}"), self.context.get_key_value(name))?;
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), store.clone());
        Ok(store)
    }

    fn reader(&self, name: &str, after: u64) -> Result<PullConsumer, ClusterError> {
        let what = format!("read the stream {name}");
        let stream = self.wait(&what, self.context.get_stream(name))?;
        self.wait(
            &what,
            stream.create_consumer(pull::Config {
                deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: after + 1 },
                ack_policy: AckPolicy::None,
                inactive_threshold: READER_LIFETIME,
                ..pull::Config::default()
            }),
        )
    }
}

/// Tries again while the server cannot be reached, for as long as `access` says; a refusal is final.
async fn first_connection(access: &NatsAccess, name: &str, connections: &Arc<AtomicU64>) -> Result<Client, String> {
    let urls: Vec<String> = access.url.split(',').map(|url| url.trim().to_owned()).collect();
    let end = Instant::now() + access.wait;
    let mut is_said = false;
    loop {
        let options = options(access, name, connections).map_err(|cause| cause.to_string())?;
        let reason = match tokio::time::timeout(PATIENCE * 2, options.connect(urls.clone())).await {
            Ok(Ok(client)) => return Ok(client),
            Ok(Err(error)) => {
                let may_come =
                    matches!(error.kind(), ConnectErrorKind::Dns | ConnectErrorKind::TimedOut | ConnectErrorKind::Io);
                if !may_come {
                    return Err(with_causes(&error));
                }
                with_causes(&error)
            }
            Err(_) => "no answer within 10 s".to_owned(),
        };
        if Instant::now() + CONNECT_PAUSE > end {
            return Err(reason);
        }
        if !is_said {
            log::info!("NATS cannot be reached yet ({reason}); trying again for up to {} s", access.wait.as_secs());
            is_said = true;
        }
        tokio::time::sleep(CONNECT_PAUSE).await;
    }
}

fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_text = next.to_string();
        if !text.contains(&next_text) {
            text = format!("{text}: {next_text}");
        }
        cause = next.source();
    }
    text
}

fn options(access: &NatsAccess, name: &str, connections: &Arc<AtomicU64>) -> std::io::Result<ConnectOptions> {
    let connections = Arc::clone(connections);
    let mut options = ConnectOptions::new()
        .name(name)
        .connection_timeout(PATIENCE)
        .request_timeout(Some(PATIENCE))
        .ping_interval(Duration::from_secs(2))
        .reconnect_delay_callback(|attempts| Duration::from_millis(50 * attempts.min(10) as u64).min(RECONNECT_PAUSE))
        .event_callback(move |event| {
            match event {
                Event::Disconnected => log::warn!("The connection to NATS is lost; trying again"),
                Event::Connected => {
                    connections.fetch_add(1, Ordering::Relaxed);
                }
                other => log::debug!("NATS: {other}"),
            }
            async {}
        });
    options = match &access.sign_in {
        SignIn::Nothing => options,
        SignIn::Password { user, password } => options.user_and_password(user.clone(), password.clone()),
        SignIn::Token(token) => options.token(token.clone()),
        SignIn::Credentials(content) => options.credentials(content)?,
        SignIn::Nkey(seed) => options.nkey(seed.clone()),
    };
    if let Some(path) = &access.authorities {
        options = options.add_root_certificates(path.clone()).require_tls(true);
    }
    if let Some((certificate, key)) = &access.identity {
        options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
    }
    Ok(options)
}

impl Bus for NatsBus {
    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    fn make_bucket(&self, bucket: &str, lifetime: Option<Duration>) -> Result<(), ClusterError> {
        // As ADR-8 of NATS describes a bucket. The client asks for figures of the account first, which servers before 2.10 do not
        // have.
        let config = stream::Config {
            name: format!("KV_{bucket}"),
            subjects: vec![format!("$KV.{bucket}.>")],
            max_messages_per_subject: 1,
            max_age: lifetime.unwrap_or_default(),
            discard: stream::DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            ..stream::Config::default()
        };
        let made = self.wait(&format!("make the bucket {bucket}"), self.context.create_stream(config));
        // It may be there, perhaps with another lifetime.
        self.bucket(bucket).map(drop).map_err(|error| made.err().unwrap_or(error))
    }

    fn has_bucket(&self, bucket: &str) -> Result<bool, ClusterError> {
        let found =
            self.runtime.block_on(async { tokio::time::timeout(PATIENCE, self.context.get_key_value(bucket)).await });
        match found {
            Err(_) => Err(ClusterError::bus(format!("look for the bucket {bucket}"), "no answer within 5 s")),
            Ok(found) => Ok(found.is_ok()),
        }
    }

    fn delete_bucket(&self, bucket: &str) -> Result<(), ClusterError> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner).remove(bucket);
        self.wait(&format!("delete the bucket {bucket}"), self.context.delete_key_value(bucket)).map(drop)
    }

    fn put(&self, bucket: &str, key: &str, value: Vec<u8>) -> Result<(), ClusterError> {
        let store = self.bucket(bucket)?;
        self.wait(&format!("put {key} into {bucket}"), store.put(key, value.into())).map(drop)
    }

    fn create(&self, bucket: &str, key: &str, value: Vec<u8>) -> Result<bool, ClusterError> {
        let store = self.bucket(bucket)?;
        let what = format!("create {key} in {bucket}");
        let created = self
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, store.create(key, value.into())).await })
            .map_err(|_| ClusterError::bus(&what, "no answer within 5 s"))?;
        match created {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(ClusterError::bus(what, error)),
        }
    }

    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ClusterError> {
        let store = self.bucket(bucket)?;
        Ok(self.wait(&format!("get {key} of {bucket}"), store.get(key))?.map(Into::into))
    }

    fn keys(&self, bucket: &str, prefix: &str) -> Result<Vec<String>, ClusterError> {
        let store = self.bucket(bucket)?;
        let what = format!("list the keys of {bucket}");
        let keys = self.wait(&what, async {
            let mut keys = store.keys().await.map_err(|error| error.to_string())?;
            let mut all = Vec::new();
            while let Some(key) = keys.next().await {
                all.push(key.map_err(|error| error.to_string())?);
            }
            Ok::<_, String>(all)
        })?;
        Ok(keys.into_iter().filter(|key| key.starts_with(prefix)).collect())
    }

    fn make_stream(&self, name: &str, subjects: &str) -> Result<(), ClusterError> {
        let config = stream::Config {
            name: name.to_owned(),
            subjects: vec![subjects.to_owned()],
            duplicate_window: DUPLICATE_WINDOW,
            allow_direct: true,
            ..stream::Config::default()
        };
        self.wait(&format!("make the stream {name}"), self.context.get_or_create_stream(config)).map(drop)
    }

    fn delete_stream(&self, name: &str) -> Result<(), ClusterError> {
        self.wait(&format!("delete the stream {name}"), self.context.delete_stream(name)).map(drop)
    }

    fn append(&self, subject: &str, id: &str, payload: Vec<u8>) -> Result<(), ClusterError> {
        let message = PublishMessage::build().payload(payload.into()).message_id(id);
        self.wait(&format!("append to {subject}"), async {
            let sent =
                self.context.send_publish(subject.to_owned(), message).await.map_err(|error| error.to_string())?;
            sent.await.map(drop).map_err(|error| error.to_string())
        })
    }

    fn read(&self, stream: &str, after: u64, most: usize, wait: Duration) -> Result<Vec<StreamMessage>, ClusterError> {
        let mut kept = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = self.connections.load(Ordering::Relaxed);
        let fits =
            |reader: &StreamReader| reader.stream == stream && reader.after == after && reader.connection == connection;
        let reader = match kept.take().filter(fits) {
            Some(reader) => reader,
            None => {
                StreamReader { stream: stream.to_owned(), after, consumer: self.reader(stream, after)?, connection }
            }
        };
        let what = format!("read the stream {stream}");
        let (messages, is_over) = self.wait(&what, async {
            let until = Instant::now() + wait + READ_MARGIN;
            let mut batch = reader
                .consumer
                .batch()
                .max_messages(most)
                .expires(wait)
                .messages()
                .await
                .map_err(|error| error.to_string())?;
            let mut messages: Vec<StreamMessage> = Vec::new();
            loop {
                let Ok(message) = timeout_at(until, batch.next()).await else {
                    // The server did not say that nothing more comes. What it still sends for this call would be lost.
                    return Ok((messages, false));
                };
                let Some(message) = message else { return Ok((messages, true)) };
                let message = message.map_err(|error| error.to_string())?;
                let sequence = message.info().map_err(|error| error.to_string())?.stream_sequence;
                let expected = messages.last().map_or(after, |last| last.sequence) + 1;
                if sequence != expected {
                    // Something was lost on the way: what came so far is good, the rest is read again.
                    return Ok::<_, String>((messages, false));
                }
                messages.push(StreamMessage { sequence, payload: message.payload.to_vec() });
            }
        })?;
        let after = messages.last().map_or(after, |last| last.sequence);
        *kept = is_over.then_some(StreamReader { after, ..reader });
        Ok(messages)
    }

    fn store_file(&self, store: &str, name: &str, path: &Path) -> Result<(), ClusterError> {
        let what = format!("store {}", path.display());
        self.runtime
            .block_on(async {
                let config = object_store::Config { bucket: store.to_owned(), ..object_store::Config::default() };
                let store = match self.context.get_object_store(store).await {
                    Ok(store) => store,
                    Err(_) => self.context.create_object_store(config).await.map_err(|error| error.to_string())?,
                };
                if store.info(name).await.is_ok_and(|info| !info.deleted) {
                    return Ok(());
                }
                let mut file = tokio::fs::File::open(path).await.map_err(|error| error.to_string())?;
                store.put(name, &mut file).await.map(drop).map_err(|error| error.to_string())
            })
            .map_err(|reason: String| ClusterError::bus(what, reason))
    }

    fn fetch_file(&self, store: &str, name: &str, to: &Path) -> Result<(), ClusterError> {
        let what = format!("fetch {}", to.display());
        self.runtime
            .block_on(async {
                let store = self.context.get_object_store(store).await.map_err(|error| error.to_string())?;
                let mut object = store.get(name).await.map_err(|error| error.to_string())?;
                let mut file = tokio::fs::File::create(to).await.map_err(|error| error.to_string())?;
                tokio::io::copy(&mut object, &mut file).await.map_err(|error| error.to_string())?;
                tokio::io::AsyncWriteExt::flush(&mut file).await.map_err(|error| error.to_string())
            })
            .map_err(|reason: String| ClusterError::bus(what, reason))
    }

    fn publish(&self, subject: &str, payload: Vec<u8>) -> Result<(), ClusterError> {
        self.wait(&format!("send to {subject}"), self.client.publish(subject.to_owned(), payload.into()))
    }

    fn subscribe(&self, subject: &str) -> Result<Box<dyn Subscription>, ClusterError> {
        let subscriber = self.wait(&format!("listen to {subject}"), self.client.subscribe(subject.to_owned()))?;
        Ok(Box::new(NatsSubscription { subscriber, runtime: self.runtime.handle().clone() }))
    }

    fn request(&self, subject: &str, payload: Vec<u8>, wait: Duration) -> Result<Vec<u8>, ClusterError> {
        let what = format!("ask {subject}");
        let answer = self
            .runtime
            .block_on(async {
                tokio::time::timeout(wait, self.client.request(subject.to_owned(), payload.into())).await
            })
            .map_err(|_| ClusterError::bus(&what, "no answer in time"))?
            .map_err(|error| ClusterError::bus(&what, error))?;
        Ok(answer.payload.into())
    }

    fn serve(&self, subject: &str, answer: Answer) -> Result<(), ClusterError> {
        let mut requests = self.wait(&format!("listen to {subject}"), self.client.subscribe(subject.to_owned()))?;
        let client = self.client.clone();
        self.runtime.spawn(async move {
            while let Some(request) = requests.next().await {
                let payload = answer(&request.payload);
                if let Some(reply) = request.reply {
                    let _ = client.publish(reply, payload.into()).await;
                    let _ = client.flush().await;
                }
            }
        });
        Ok(())
    }
}

struct NatsSubscription {
    subscriber: Subscriber,
    runtime: tokio::runtime::Handle,
}

impl fmt::Debug for NatsSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NatsSubscription")
    }
}

impl Subscription for NatsSubscription {
    fn next(&mut self, wait: Duration) -> Option<Vec<u8>> {
        let next = self.runtime.block_on(async { tokio::time::timeout(wait, self.subscriber.next()).await });
        next.ok().flatten().map(|message| message.payload.into())
    }
}
