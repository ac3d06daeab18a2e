//! What is made again for each request: its head.

use std::hint::black_box;

use aiperf_address::{Origin, Scheme};
use aiperf_endpoint::{HeaderOptions, HeaderPlan, RequestIds};
use aiperf_transport::Request;
use bytes::Bytes;
use uuid::Uuid;

use crate::BenchOutcome;

pub(crate) fn head(times: usize) -> BenchOutcome {
    let plan = HeaderPlan::new(&HeaderOptions { version: "0.1.0", streaming: true, ..HeaderOptions::default() })?;
    let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".to_owned(), port: 8000 };
    let body = Bytes::from_static(b"{}");
    let session = Uuid::from_u128(7).to_string();
    for number in 0..times {
        let request_id = Uuid::from_u128(black_box(number as u128)).to_string();
        let ids = RequestIds {
            host: "127.0.0.1:8000",
            request_id: &request_id,
            correlation_id: &session,
            parent_correlation_id: None,
            trace_parent: None,
        };
        black_box(Request::post(&origin, "/v1/chat/completions", plan.lines(ids), body.clone()));
    }
    Ok(())
}
