//! The stages of the HTTP exchange, and media in requests and answers.

use aiperf_clock::Nanos;
use aiperf_metrics::{HttpTiming, MediaFacts, Metric, MetricContext, Observation};
use aiperf_protocol::{EndpointKind, VideoReport};

use crate::phase::{request, streaming};
use crate::{Case, mean};

pub(crate) fn cases() -> Vec<Case> {
    let whole = |kind| MetricContext::new(kind, false);
    vec![
        Case { name: "HTTP stages", requests: connected(), context: streaming(), expected: stages() },
        Case {
            name: "images",
            requests: vec![with(MediaFacts { images: 2, ..MediaFacts::default() })],
            context: whole(EndpointKind::ImageRetrieval),
            expected: vec![
                (Metric::NumImages, "avg", 2.0),
                (Metric::ImageThroughput, "avg", 2.0 / 0.5),
                (Metric::ImageLatency, "avg", 500.0 / 2.0),
            ],
        },
        Case {
            name: "audio",
            requests: vec![with(MediaFacts { audio_seconds: Some(3.0), ..MediaFacts::default() })],
            context: whole(EndpointKind::AudioTranscription),
            expected: vec![(Metric::AudioDuration, "avg", 3.0), (Metric::Rtfx, "avg", 3.0 / 0.5)],
        },
        Case {
            name: "video",
            requests: vec![with(MediaFacts { video: Some(report()), ..MediaFacts::default() })],
            context: whole(EndpointKind::VideoGeneration),
            expected: vec![
                (Metric::VideoInferenceTime, "avg", 2_500.0),
                (Metric::VideoPeakMemory, "avg", 1_024.5),
                (Metric::RequestLatency, "avg", 500.0),
            ],
        },
    ]
}

/// Answered whole after 500 ms.
fn with(media: MediaFacts) -> Observation {
    Observation { media, ..request(0, &[500]) }
}

fn report() -> VideoReport {
    VideoReport { inference_seconds: Some(2.5), peak_memory_mb: Some(1_024.5) }
}

/// A new TLS connection that had to be waited for, and the same one again.
fn connected() -> Vec<Observation> {
    let ms = |millis: u64| Nanos(millis * 1_000_000);
    let mut requests = vec![request(0, &[100]), request(200, &[240])];
    requests[0].http = Some(HttpTiming {
        blocked: ms(1),
        lost: Some(ms(6)),
        dns_lookup: ms(2),
        connecting: ms(5),
        tls: Some(ms(3)),
        sending: ms(4),
        waiting: ms(40),
        receiving: ms(30),
        reused: false,
        body_bytes_sent: 2_048,
        writes: 2,
        body_bytes_received: 1_024,
        reads: 3,
    });
    requests[1].http = Some(HttpTiming {
        sending: ms(2),
        waiting: ms(20),
        receiving: ms(10),
        reused: true,
        body_bytes_sent: 1_024,
        writes: 1,
        body_bytes_received: 3_072,
        reads: 5,
        ..HttpTiming::default()
    });
    requests
}

fn stages() -> Vec<(Metric, &'static str, f64)> {
    vec![
        (Metric::HttpReqBlocked, "avg", 0.5),
        // Of the one that was sent again.
        (Metric::HttpReqLost, "avg", 6.0),
        (Metric::HttpReqLost, "count", 1.0),
        (Metric::HttpReqDnsLookup, "avg", 1.0),
        (Metric::HttpReqConnecting, "avg", 2.5),
        // Of the one that shook hands.
        (Metric::HttpReqTlsHandshaking, "avg", 3.0),
        (Metric::HttpReqTlsHandshaking, "count", 1.0),
        (Metric::HttpReqSending, "avg", 3.0),
        (Metric::HttpReqWaiting, "avg", 30.0),
        (Metric::HttpReqReceiving, "avg", 20.0),
        (Metric::HttpReqConnectionReused, "avg", 0.5),
        (Metric::HttpReqDataSent, "avg", 1.5),
        (Metric::HttpReqChunksSent, "avg", 1.5),
        (Metric::HttpReqDataReceived, "avg", 2.0),
        (Metric::HttpReqChunksReceived, "avg", 4.0),
        (Metric::HttpReqConnectionOverhead, "avg", mean([8.0, 0.0])),
        (Metric::HttpReqDuration, "avg", mean([74.0, 32.0])),
        (Metric::HttpReqTotal, "avg", mean([88.0, 32.0])),
    ]
}
