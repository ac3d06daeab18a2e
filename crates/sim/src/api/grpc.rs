//! gRPC: calls on HTTP/2 connections. They begin with a preface of their own, so that they can use the same port as HTTP/1.1.

mod call;
mod infer;
mod metadata;

use std::rc::Rc;

use aiperf_clock::{Mono, Nanos};
use aiperf_grpc::kserve::SERVICE;
use aiperf_grpc::{GrpcCode, reflection};
use tokio::net::TcpStream;

use self::call::{CallError, GrpcCall};
use crate::server::exchange::ServedRequest;
use crate::server::worker::ServerWorker;
use crate::truth::TruthOutcome;

/// How an HTTP/2 connection begins; no HTTP/1 method has this name.
const PREFACE: &[u8] = b"PRI ";
/// How long to wait for the rest of the preface.
const REST: Nanos = Nanos(1_000_000);

/// Whether the connection begins with the HTTP/2 preface. Nothing is taken from the socket.
pub(crate) async fn is_http2_preface(worker: &ServerWorker, stream: &TcpStream) -> bool {
    let mut start = [0; PREFACE.len()];
    loop {
        match stream.peek(&mut start).await {
            Ok(0) | Err(_) => return false,
            Ok(count) if count == PREFACE.len() || !PREFACE.starts_with(&start[..count]) => return start == PREFACE,
            Ok(_) => worker.timer.sleep_until(Mono::now() + REST).await,
        }
    }
}

/// Serves the calls of a connection, as many at once as come.
pub(crate) async fn serve_connection(worker: Rc<ServerWorker>, stream: TcpStream) {
    let number = worker.state.next_connection();
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    let mut served = 0;
    while let Some(Ok((request, respond))) = connection.accept().await {
        let (worker, place) = (Rc::clone(&worker), served);
        served += 1;
        tokio::task::spawn_local(async move {
            if let Ok(call) = GrpcCall::receive(request, respond).await {
                serve(&worker, call, number, place).await;
            }
        });
    }
}

async fn serve(worker: &Rc<ServerWorker>, mut call: GrpcCall, connection: u64, place: u64) {
    let path = call.received.head.target.clone();
    let (service, method) = path.trim_start_matches('/').split_once('/').unwrap_or((&path, ""));
    let is_inference = service == SERVICE && matches!(method, "ModelInfer" | "ModelStreamInfer");
    let mut exchange = ServedRequest::begin(worker, &call.received, connection, place, is_inference);
    if is_inference && worker.state.options.truth_bodies {
        exchange.note(|record| record.body = Some(infer::legible(&call)));
    }
    let served = match (service, method) {
        (SERVICE, "ModelInfer") => infer::serve(worker, &mut call, &mut exchange, false).await,
        (SERVICE, "ModelStreamInfer") => infer::serve(worker, &mut call, &mut exchange, true).await,
        (SERVICE, _) => metadata::serve(&mut call, &mut exchange, method),
        (service, reflection::METHOD) if reflection::SERVICES.contains(&service) => {
            metadata::reflect(&mut call, &mut exchange)
        }
        _ => Err(CallError::Refused(GrpcCode::Unimplemented, format!("unknown method {path}"))),
    };
    match served {
        Ok(()) => {}
        Err(CallError::Gone) => drop(exchange.finish(TruthOutcome::ClientGone)),
        Err(CallError::Refused(code, message)) => {
            let outcome = if call.is_injected { TruthOutcome::ErrorStatus } else { TruthOutcome::Refused };
            exchange.finish(outcome);
            call.end(code, &message);
        }
    }
}
