//! Replies that are sent in one piece, and their faults.

use aiperf_clock::Mono;

use crate::api::dialect::openai::error_object;
use crate::api::text_request::RejectedRequest;
use crate::generation::fault::{Fault, FaultPlan, MidwayFault};
use crate::server::connection::{ClientConnection, ClientGone};
use crate::server::exchange::ServedRequest;
use crate::server::http_response::{error_kind, write_whole};
use crate::truth::TruthOutcome;

/// What becomes of the connection after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    KeepAlive,
    Close,
    Reset,
}

impl After {
    pub(crate) const fn keeping(keep_alive: bool) -> Self {
        if keep_alive { Self::KeepAlive } else { Self::Close }
    }
}

/// The message of every injected error.
pub(crate) const SIMULATED: &str = "simulated failure";

pub(crate) const JSON: &str = "application/json";

/// Answers with JSON and ends the exchange.
pub(crate) async fn answer(
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    status: u16,
    body: &[u8],
    outcome: TruthOutcome,
    keep_alive: bool,
) -> Result<After, ClientGone> {
    answer_as(connection, exchange, status, (JSON, body), outcome, keep_alive).await
}

/// Answers with a body of any type and ends the exchange.
pub(crate) async fn answer_as(
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    status: u16,
    (content_type, body): (&str, &[u8]),
    outcome: TruthOutcome,
    keep_alive: bool,
) -> Result<After, ClientGone> {
    let mut out = Vec::with_capacity(body.len() + 192);
    write_whole(status, content_type, body, keep_alive, &mut out);
    exchange.note(|record| record.status = status);
    exchange.finish(outcome);
    connection.write(&out).await?;
    Ok(After::keeping(keep_alive))
}

/// Answers a request that cannot be served.
pub(crate) async fn refuse(
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    status: u16,
    refusal: &RejectedRequest,
    keep_alive: bool,
) -> Result<After, ClientGone> {
    let body = error_object(status, error_kind(status), &refusal.message, refusal.parameter);
    answer(connection, exchange, status, body.as_bytes(), TruthOutcome::Refused, keep_alive).await
}

/// Applies a fault that comes before any reply: an error status, or a connection that is closed without an answer.
pub(crate) async fn fail_at_once(
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    plan: &FaultPlan,
    keep_alive: bool,
) -> Result<Option<After>, ClientGone> {
    match plan.fault {
        Some(Fault::Status(status)) => {
            let body = error_object(status, error_kind(status), SIMULATED, None);
            answer(connection, exchange, status, body.as_bytes(), TruthOutcome::ErrorStatus, keep_alive).await.map(Some)
        }
        Some(Fault::Drop) => {
            exchange.finish(TruthOutcome::Dropped);
            Ok(Some(After::Close))
        }
        Some(Fault::Empty | Fault::Midway { .. }) | None => Ok(None),
    }
}

/// Delivers what the model made, or what the fault leaves of it.
pub(crate) async fn deliver(
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    (content_type, body): (&str, &[u8]),
    fault: Option<MidwayFault>,
    keep_alive: bool,
) -> Result<After, ClientGone> {
    let half = &body[..body.len() / 2];
    let (outcome, after) = match fault {
        None => {
            exchange.note(|record| record.chunks.push(Mono::now()));
            return answer_as(connection, exchange, 200, (content_type, body), TruthOutcome::Completed, keep_alive)
                .await;
        }
        Some(MidwayFault::InbandError) => {
            let body = error_object(500, error_kind(500), SIMULATED, None);
            return answer(connection, exchange, 200, body.as_bytes(), TruthOutcome::InbandError, keep_alive).await;
        }
        Some(MidwayFault::Malformed) => {
            return answer_as(connection, exchange, 200, (content_type, half), TruthOutcome::Malformed, keep_alive)
                .await;
        }
        Some(MidwayFault::Cut) => (TruthOutcome::Cut, After::Close),
        Some(MidwayFault::Reset) => (TruthOutcome::Reset, After::Reset),
    };
    // The head promises the whole body, of which only half comes.
    let mut out = Vec::with_capacity(body.len() + 192);
    write_whole(200, content_type, body, keep_alive, &mut out);
    out.truncate(out.len() - body.len() + half.len());
    exchange.finish(outcome);
    connection.write(&out).await?;
    Ok(after)
}
