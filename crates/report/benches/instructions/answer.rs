//! From the bytes of a response to what it says: a stream of 100 chunks that came in as many reads, and a whole answer.

use std::hint::black_box;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos, ReadStamp};
use aiperf_endpoint::{Endpoint, EndpointSettings, ResponseBody};
use aiperf_protocol::EndpointKind;
use aiperf_transport::{Exchange, ResponseReader};

use crate::BenchOutcome;

const CHUNKS: u64 = 100;
/// Each is one token of o200k, with the space before it.
const WORDS: [&str; 8] = [" place", " total", " chair", " life", " send", " light", " water", " again"];

/// What the stream says.
pub(crate) fn text() -> String {
    (0..CHUNKS as usize).map(word).collect()
}

fn word(index: usize) -> &'static str {
    WORDS[index % WORDS.len()]
}

/// The reads of a streamed response, as a server sends it: head and role, a chunk each, finish with usage, the end.
fn stream() -> Vec<Vec<u8>> {
    let event = |rest: &str| {
        let data = format!(
            "data: {{\"id\":\"chatcmpl-62a556755ba73290\",\"object\":\"chat.completion.chunk\",\"created\":1794720417,\
             \"model\":\"sim-model\",\"choices\":{rest}}}\n\n"
        );
        chunk(&data)
    };
    let delta = |delta: &str, finish: &str| {
        event(&format!("[{{\"index\":0,\"delta\":{delta},\"logprobs\":null,\"finish_reason\":{finish}}}]"))
    };
    let head = "HTTP/1.1 200 OK\r\nserver: sim\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut reads = vec![format!("{head}{}", delta("{\"role\":\"assistant\",\"content\":\"\"}", "null"))];
    for index in 0..CHUNKS as usize {
        let finish = if index + 1 == CHUNKS as usize { "\"length\"" } else { "null" };
        reads.push(delta(&format!("{{\"content\":\"{}\"}}", word(index)), finish));
    }
    let usage = "[],\"usage\":{\"prompt_tokens\":32,\"total_tokens\":132,\"completion_tokens\":100}";
    reads.push(format!("{}{}0\r\n\r\n", event(usage), chunk("data: [DONE]\n\n")));
    reads.into_iter().map(String::into_bytes).collect()
}

fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

/// The one read of a whole answer.
fn whole() -> Vec<Vec<u8>> {
    let body = "{\"id\":\"chatcmpl-c7d184224db7e794\",\"object\":\"chat.completion\",\"created\":1794720417,\
                \"model\":\"sim-model\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\
                \"content\":\"chair life send\"},\"logprobs\":null,\"finish_reason\":\"length\",\"stop_reason\":null}],\
                \"usage\":{\"prompt_tokens\":1,\"total_tokens\":4,\"completion_tokens\":3}}";
    let head = "HTTP/1.1 200 OK\r\nserver: sim\r\ncontent-type: application/json\r\n";
    vec![format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()]
}

/// The exchange that the reads make.
fn exchange_of(reads: &[Vec<u8>]) -> Result<Exchange, Box<dyn std::error::Error>> {
    let mut exchange = Exchange::default();
    let mut reader = ResponseReader::new();
    for (number, read) in reads.iter().enumerate() {
        let arrival = Mono::from_nanos(1_000_000_000 + number as u64 * 10_000_000);
        let stamp = ReadStamp::kernel(arrival, arrival + Nanos(20_000));
        black_box(reader.feed(read, stamp, &mut exchange)?);
    }
    Ok(exchange)
}

pub(crate) fn stream_exchange() -> Result<Exchange, Box<dyn std::error::Error>> {
    exchange_of(&stream())
}

pub(crate) fn chat() -> Arc<dyn Endpoint> {
    aiperf_endpoint::of(EndpointKind::Chat, &EndpointSettings::default())
}

pub(crate) fn body_of(exchange: &Exchange) -> ResponseBody<'_> {
    ResponseBody { content_type: exchange.header("content-type"), bytes: &exchange.body, marks: &exchange.marks }
}

/// Taking in the reads of a stream: head, chunked coding, a stamp for each.
pub(crate) fn read_stream_response(times: usize) -> BenchOutcome {
    take_in(&stream(), times)
}

pub(crate) fn read_whole_response(times: usize) -> BenchOutcome {
    take_in(&whole(), times)
}

fn take_in(reads: &[Vec<u8>], times: usize) -> BenchOutcome {
    for _ in 0..times {
        black_box(exchange_of(black_box(reads))?);
    }
    Ok(())
}

/// Framing the events of a stream and reading content, usage and finish from each.
pub(crate) fn read_stream_reply(times: usize) -> BenchOutcome {
    read_reply(&stream(), times)
}

pub(crate) fn read_whole_reply(times: usize) -> BenchOutcome {
    read_reply(&whole(), times)
}

fn read_reply(reads: &[Vec<u8>], times: usize) -> BenchOutcome {
    let (exchange, chat) = (exchange_of(reads)?, chat());
    for _ in 0..times {
        black_box(chat.read(body_of(black_box(&exchange)))?);
    }
    Ok(())
}
