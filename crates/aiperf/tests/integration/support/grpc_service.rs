//! A gRPC service of the tests: it has a method of each kind, keeps its own log, and offers reflection where it is told to.
//! In addition to its own methods it has the `KServe` ones that answer, as `MLServer` has them.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_grpc::kserve::{InferRequest, InferResponse, OutputTensor, TensorContents};
use aiperf_grpc::reflection::{
    METHOD, ReflectedFiles, ReflectionAnswer, ReflectionError, ReflectionQuestion, ReflectionRequest,
    ReflectionResponse, SERVICES, ServiceEntry, ServiceList,
};
use aiperf_grpc::{ServiceDescriptors, frame, frames};
use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{HeaderMap, HeaderValue};
use prost::Message;

pub(crate) const PROTO: &str = r#"
syntax = "proto3";
package words;
import "google/protobuf/timestamp.proto";
enum EchoTone { PLAIN = 0; LOUD = 1; }
message Ask {
  string text = 1;
  int32 count = 2;
  EchoTone tone = 3;
  bytes blob = 4;
  google.protobuf.Timestamp at = 5;
}
message Word { string text = 1; EchoTone tone = 2; bytes blob = 3; }
service Words {
  rpc Say(Ask) returns (Word);
  rpc Count(Ask) returns (stream Word);
  rpc Gather(stream Ask) returns (Word);
  rpc Chat(stream Ask) returns (stream Word);
}
"#;

/// Between two messages of an answer.
const GAP: Duration = Duration::from_millis(5);

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Ask {
    #[prost(string, tag = "1")]
    pub(crate) text: String,
    #[prost(int32, tag = "2")]
    pub(crate) count: i32,
    #[prost(int32, tag = "3")]
    pub(crate) tone: i32,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) blob: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct Word {
    #[prost(bytes = "vec", tag = "1")]
    text: Vec<u8>,
    #[prost(int32, tag = "2")]
    tone: i32,
    #[prost(bytes = "vec", tag = "3")]
    blob: Vec<u8>,
}

/// One call, as the service saw it.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedCall {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) asks: Vec<Ask>,
    /// When the head had come.
    pub(crate) arrived: Mono,
    /// Just before each message was handed over.
    pub(crate) written: Vec<Mono>,
    pub(crate) ended_by_client: bool,
}

impl ReceivedCall {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

#[derive(Default)]
struct Book {
    calls: Vec<ReceivedCall>,
    connections: usize,
}

pub(crate) struct GrpcService {
    pub(crate) addr: SocketAddr,
    book: Arc<Mutex<Book>>,
}

impl GrpcService {
    pub(crate) fn url(&self) -> String {
        format!("grpc://{}", self.addr)
    }

    /// Calls of its own methods, reflection left out.
    pub(crate) fn calls(&self) -> Vec<ReceivedCall> {
        let book = self.book.lock().unwrap();
        book.calls.iter().filter(|call| call.path.starts_with("/words.")).cloned().collect()
    }

    pub(crate) fn connections(&self) -> usize {
        self.book.lock().unwrap().connections
    }
}

/// Starts the service. `reflection` names the services of reflection that it offers.
pub(crate) fn grpc_service(reflection: &'static [&'static str]) -> GrpcService {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let addr = listener.local_addr().unwrap();
    let book = Arc::new(Mutex::new(Book::default()));
    let own = Arc::clone(&book);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                socket.set_nodelay(true).unwrap();
                own.lock().unwrap().connections += 1;
                let book = Arc::clone(&own);
                tokio::spawn(async move {
                    let mut connection = h2::server::handshake(socket).await?;
                    while let Some(Ok((request, respond))) = connection.accept().await {
                        tokio::spawn(serve(request, respond, reflection, Arc::clone(&book)));
                    }
                    Ok::<_, h2::Error>(())
                });
            }
        });
    });
    GrpcService { addr, book }
}

/// A descriptor set of the service, as `protoc` would write it.
pub(crate) fn descriptor_set() -> Vec<u8> {
    let descriptors = ServiceDescriptors::of_source("words.proto", PROTO).unwrap();
    ReflectedFiles { descriptors: descriptors.files_for(None, Some("words.Words")) }.encode_to_vec()
}

struct ServedCall {
    respond: SendResponse<Bytes>,
    stream: Option<SendStream<Bytes>>,
    seen: ReceivedCall,
}

async fn serve(
    request: http::Request<RecvStream>,
    respond: SendResponse<Bytes>,
    reflection: &'static [&'static str],
    book: Arc<Mutex<Book>>,
) {
    let arrived = Mono::now();
    let (parts, mut body) = request.into_parts();
    let mut bytes = Vec::new();
    while let Some(Ok(part)) = body.data().await {
        let _ = body.flow_control().release_capacity(part.len());
        bytes.extend_from_slice(&part);
    }
    let messages: Vec<Vec<u8>> = frames(&bytes).unwrap().into_iter().map(|frame| frame.of(&bytes).to_vec()).collect();
    let path = parts.uri.path().to_owned();
    let is_ours = path.starts_with("/words.");
    let asks = if is_ours { messages.iter().map(|ask| Ask::decode(ask.as_slice()).unwrap()).collect() } else { vec![] };
    let seen = ReceivedCall {
        path: path.clone(),
        headers: parts.headers,
        asks,
        arrived,
        written: Vec::new(),
        ended_by_client: false,
    };
    let mut call = ServedCall { respond, stream: None, seen };
    match path.as_str() {
        "/words.Words/Say" | "/words.Words/Gather" => call.one_word().await,
        "/words.Words/Count" | "/words.Words/Chat" => call.words().await,
        "/inference.GRPCInferenceService/ModelInfer" => call.infer(&messages[0], usize::MAX).await,
        "/inference.GRPCInferenceService/ModelStreamInfer" => call.infer(&messages[0], 1).await,
        _ => {
            let (service, method) = path.trim_start_matches('/').split_once('/').unwrap();
            if method == METHOD && reflection.contains(&service) {
                for question in &messages {
                    call.reflect(question, service);
                }
                call.end("0", None);
            } else {
                call.end("12", Some("unknown service or method"));
            }
        }
    }
    book.lock().unwrap().calls.push(call.seen);
}

impl ServedCall {
    fn send(&mut self, message: &[u8]) {
        let mut body = Vec::new();
        frame(message, &mut body);
        if self.stream.is_none() {
            let head = http::Response::builder().header("content-type", "application/grpc").body(()).unwrap();
            self.stream = self.respond.send_response(head, false).ok();
        }
        self.seen.written.push(Mono::now());
        if let Some(stream) = &mut self.stream {
            let _ = stream.send_data(Bytes::from(body), false);
        }
    }

    fn say(&mut self, ask: &Ask, text: &str) {
        let blob = ask.blob.iter().rev().copied().collect();
        self.send(&Word { text: text.into(), tone: ask.tone, blob }.encode_to_vec());
    }

    fn end(&mut self, status: &'static str, message: Option<&'static str>) {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static(status));
        if let Some(message) = message {
            trailers.insert("grpc-message", HeaderValue::from_static(message));
        }
        if let Some(stream) = &mut self.stream {
            let _ = stream.send_trailers(trailers);
        } else {
            let mut head = http::Response::new(());
            *head.headers_mut() = trailers;
            head.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
            let _ = self.respond.send_response(head, true);
        }
    }

    async fn one_word(&mut self) {
        tokio::time::sleep(GAP).await;
        let asks = self.seen.asks.clone();
        let text = asks.iter().map(|ask| ask.text.as_str()).collect::<Vec<_>>().join(" ");
        match text.as_str() {
            "no bytes" => self.send(&Word { text: vec![b'a', 0xff], tone: 0, blob: Vec::new() }.encode_to_vec()),
            "refuse" => return self.end("9", Some("not%20now%3A%20%E2%82%AC")),
            "long" => self.send(&Word { text: vec![b'x'; 5_000], tone: 0, blob: Vec::new() }.encode_to_vec()),
            "sleep" => tokio::time::sleep(Duration::from_secs(60)).await,
            _ => self.say(&asks[0], &text),
        }
        self.end("0", None);
    }

    async fn words(&mut self) {
        for ask in self.seen.asks.clone() {
            for number in 0..ask.count.max(1) {
                let gap = if ask.text == "slow" { GAP * 100 } else { GAP };
                let stream = &mut self.stream;
                let gone = std::future::poll_fn(|cx| match stream {
                    Some(stream) => stream.poll_reset(cx),
                    None => std::task::Poll::Pending,
                });
                tokio::select! {
                    () = tokio::time::sleep(gap) => {}
                    _ = gone => {
                        self.seen.ended_by_client = true;
                        return;
                    }
                }
                if ask.text == "reset" && number == 1 {
                    if let Some(stream) = &mut self.stream {
                        stream.send_reset(Reason::INTERNAL_ERROR);
                    }
                    return;
                }
                self.say(&ask, &format!(" {}{number}", ask.text));
            }
        }
        self.end("0", None);
    }

    /// Says the words of the prompt again, a given number in a message. Answers have no envelope; their tensors have contents, with
    /// nothing in them where the text is raw. The model `typed` fills them, the model `silent` says nothing.
    async fn infer(&mut self, request: &[u8], words: usize) {
        let request = InferRequest::decode(request).unwrap();
        let prompt = request.to_json()["inputs"][0]["data"][0].as_str().unwrap().to_owned();
        let prompt: Vec<&str> = prompt.split_whitespace().collect();
        for said in prompt.chunks(words.min(prompt.len())) {
            tokio::time::sleep(GAP).await;
            let text = format!(" {}", said.join(" "));
            let raw = [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
            let is_typed = request.model_name == "typed";
            let contents = TensorContents {
                bytes: is_typed.then(|| text.into_bytes()).into_iter().collect(),
                ..Default::default()
            };
            let output = OutputTensor {
                name: "text_output".into(),
                datatype: "BYTES".into(),
                shape: vec![1, 1],
                contents: Some(contents),
            };
            let mut answer = InferResponse { model_name: request.model_name.clone(), ..InferResponse::default() };
            if request.model_name != "silent" {
                answer.outputs.push(output);
                answer.raw_output_contents.extend((!is_typed).then_some(raw));
            }
            self.send(&answer.encode_to_vec());
        }
        self.end("0", None);
    }

    fn reflect(&mut self, question: &[u8], own: &str) {
        let known = ServiceDescriptors::of_source("words.proto", PROTO).unwrap();
        // One file at a time, so that imports have to be asked for.
        let one = |files: Vec<Vec<u8>>| match files.into_iter().next() {
            None => ReflectionAnswer::Error(ReflectionError { code: 5, message: "not found".into() }),
            Some(file) => ReflectionAnswer::Files(ReflectedFiles { descriptors: vec![file] }),
        };
        let answer = match ReflectionRequest::decode(question).unwrap().question.unwrap() {
            ReflectionQuestion::ListServices(_) => {
                let names = ["words.Words", own].map(|name| ServiceEntry { name: name.to_owned() });
                ReflectionAnswer::Services(ServiceList { services: names.into() })
            }
            ReflectionQuestion::FileByName(name) => one(known.files_for(Some(&name), None)),
            ReflectionQuestion::FileContainingSymbol(symbol) => one(known.files_for(None, Some(&symbol))),
        };
        self.send(&ReflectionResponse { answer: Some(answer) }.encode_to_vec());
    }
}

/// Both versions of reflection.
pub(crate) const REFLECTION: &[&str] = &SERVICES;
pub(crate) const OLD_REFLECTION: &[&str] = &[SERVICES[1]];
pub(crate) const NO_REFLECTION: &[&str] = &[];
