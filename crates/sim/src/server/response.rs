//! Replies that go out in one piece, and what can go wrong with them.

use aiperf_clock::Mono;

use crate::api::dialect::openai::error_object;
use crate::api::text_request::Refusal;
use crate::generation::fault::{Fault, FaultPlan, MidwayFault};
use crate::server::connection::{ClientGone, Connection};
use crate::server::exchange::Exchange;
use crate::server::http_response::{error_kind, write_whole};
use crate::truth::Outcome;

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
    connection: &mut Connection,
    exchange: &mut Exchange,
    status: u16,
    body: &[u8],
    outcome: Outcome,
    keep_alive: bool,
) -> Result<After, ClientGone> {
    answer_as(connection, exchange, status, (JSON, body), outcome, keep_alive).await
}

/// Answers with a body of any type and ends the exchange.
pub(crate) async fn answer_as(
    connection: &mut Connection,
    exchange: &mut Exchange,
    status: u16,
    (content_type, body): (&str, &[u8]),
    outcome: Outcome,
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
    connection: &mut Connection,
    exchange: &mut Exchange,
    status: u16,
    refusal: &Refusal,
    keep_alive: bool,
) -> Result<After, ClientGone> {
    let body = error_object(status, error_kind(status), &refusal.message, refusal.parameter);
    answer(connection, exchange, status, body.as_bytes(), Outcome::Refused, keep_alive).await
}

/// What is planned to go wrong before there is any reply: an error status, or an end without a word.
pub(crate) async fn fail_at_once(
    connection: &mut Connection,
    exchange: &mut Exchange,
    plan: &FaultPlan,
    keep_alive: bool,
) -> Result<Option<After>, ClientGone> {
    match plan.fault {
        Some(Fault::Status(status)) => {
            let body = error_object(status, error_kind(status), SIMULATED, None);
            answer(connection, exchange, status, body.as_bytes(), Outcome::ErrorStatus, keep_alive).await.map(Some)
        }
        Some(Fault::Drop) => {
            exchange.finish(Outcome::Dropped);
            Ok(Some(After::Close))
        }
        Some(Fault::Empty | Fault::Midway { .. }) | None => Ok(None),
    }
}

/// Delivers what the model made, or what the fault leaves of it.
pub(crate) async fn deliver(
    connection: &mut Connection,
    exchange: &mut Exchange,
    (content_type, body): (&str, &[u8]),
    fault: Option<MidwayFault>,
    keep_alive: bool,
) -> Result<After, ClientGone> {
    let half = &body[..body.len() / 2];
    let (outcome, after) = match fault {
        None => {
            exchange.note(|record| record.chunks.push(Mono::now()));
            return answer_as(connection, exchange, 200, (content_type, body), Outcome::Completed, keep_alive).await;
        }
        Some(MidwayFault::InbandError) => {
            let body = error_object(500, error_kind(500), SIMULATED, None);
            return answer(connection, exchange, 200, body.as_bytes(), Outcome::InbandError, keep_alive).await;
        }
        Some(MidwayFault::Malformed) => {
            return answer_as(connection, exchange, 200, (content_type, half), Outcome::Malformed, keep_alive).await;
        }
        Some(MidwayFault::Cut) => (Outcome::Cut, After::Close),
        Some(MidwayFault::Reset) => (Outcome::Reset, After::Reset),
    };
    // The head promises the whole body, of which only half comes.
    let mut out = Vec::with_capacity(body.len() + 192);
    write_whole(200, content_type, body, keep_alive, &mut out);
    out.truncate(out.len() - body.len() + half.len());
    exchange.finish(outcome);
    connection.write(&out).await?;
    Ok(after)
}
