//! `docs/metrics.md` is written from the catalogue.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use aiperf_metrics::{ConsoleGroup, Definition, Flags, Metric, MetricKind};

/// Sections of the page: title, what stands under it, which metrics.
type Section = (&'static str, &'static str, fn(Metric) -> bool);

const SECTIONS: &[Section] = &[
    (
        "Latency and rates of a request",
        "Content is an event with text, reasoning or tool-call text. Events without content (role, finish, usage, `[DONE]`) do not set a time.",
        |m| is_record(m) && has(m, &[]) && !is(m, ConsoleGroup::Schedule) && !is_before_start(m) && is_time_or_rate(m),
    ),
    (
        "Tokens of a request",
        "Counted by the client's tokenizer, or taken from the server's usage with `--use-server-token-count`. Each choice of an answer and each text of a \
         batch is encoded separately. With a `tokenizer.json` that is left to the `tokenizers` library ([tokenizers.md](tokenizers.md)), texts above 64 KiB are \
         encoded in pieces that end at a space between two words, which does not change the count. If a text has 16 KiB without such a space, its count may \
         be off by one token per piece.",
        |m| is_record(m) && has(m, &[]) && !is_time_or_rate(m),
    ),
    ("Images, audio and video", "", |m| {
        has(m, &[Flags::IMAGE, Flags::AUDIO, Flags::VIDEO_OUT]) && !has(m, &[Flags::USAGE])
    }),
    ("Whole run", "D is the time from before the first permission to send until the last request ended.", |m| {
        matches!(m.definition().kind, MetricKind::Aggregate | MetricKind::Derived)
            && has(m, &[])
            && !m.tag().starts_with("replay")
    }),
    (
        "Goodput",
        "A request is good if it succeeded and met every objective of `--goodput`. A request without the metric of an objective is not good.",
        |m| has(m, &[Flags::GOODPUT]) && !has(m, &[Flags::GPU]),
    ),
    (
        "Failed requests",
        "Error-adjusted metrics have the values of the metric they are named after, plus one infinite value for each failed request: the metric if failed requests took forever. Percentiles are interpolated as usual, so a percentile whose rank lies between the last success and the first failure is infinite too (p90 if exactly a tenth failed). The CSV file and the console show infinite statistics as `inf`; JSON does not have such a number and leaves them out.",
        |m| {
            (has(m, &[Flags::ERRORS])
                || m.definition().kind == MetricKind::ErrorAdjusted
                || matches!(m, Metric::CancelledRequestCount | Metric::ResentRequestCount))
                && !has(m, &[Flags::USAGE])
        },
    ),
    ("Usage", "Read from the last event whose `usage` was not empty.", |m| has(m, &[Flags::USAGE])),
    (
        "HTTP trace",
        "Stages do not overlap. `--show-trace-timing` shows them on the console; `--export-http-trace` writes them for each request.",
        |m| has(m, &[Flags::TRACE]),
    ),
    ("Schedule", "Only in runs in which a schedule, not the server, decides when to send.", |m| {
        has(m, &[Flags::OPEN_LOOP, Flags::FIXED_SCHEDULE])
    }),
    (
        "Permission to send",
        "A request gets its permission when the schedule or a free slot allows it. Requests of a worker that get it at the same time start one \
         after the other. `client_send_delay` includes that wait; latencies, which count from the start, do not.",
        |m| is_before_start(m) || m == Metric::EffectiveLatency,
    ),
    (
        "Over time",
        "Step functions of time. Their statistics (avg, min, max, std, p50, p90, p95, p99) are weighted by the duration of each value. `effective_*` cover the whole of D; `active_*` cover the time in which the matching concurrency is above 0.",
        |m| m.definition().kind == MetricKind::TimeWeighted,
    ),
    ("Network", "`--network-latency-mean` sets the round trip; `--network-latency-automatic` measures it.", |m| {
        has(m, &[Flags::NETWORK])
    }),
    ("Speculative decoding", "Only if the response has `metrics.speculative_decoding`, as vLLM's responses do.", |m| {
        has(m, &[Flags::SPEC_DECODE])
    }),
    (
        "Times of the server",
        "Only if the response has `metrics.queue_time_ms`, `metrics.time_to_first_token_ms` or `metrics.mean_itl_ms`, as those of vLLM with `--enable-per-request-metrics` do (0.25 also wants `--extra-inputs include_metrics:true`). They split the time to first token: client + network + queue + prefill.",
        |m| has(m, &[Flags::SERVER_TIMES]),
    ),
    (
        "GPU energy",
        "These need GPU telemetry (`--gpu-telemetry`). [energy.md](energy.md) has the method and its limits.",
        |m| has(m, &[Flags::GPU]),
    ),
    ("Cost", "These need `--cost-per-gpu-hour`. Costs are in the currency of that price.", |m| has(m, &[Flags::COST])),
];

fn is_record(metric: Metric) -> bool {
    matches!(metric.definition().kind, MetricKind::Record | MetricKind::RecordList)
}

/// Whether it is about the time before a request starts.
fn is_before_start(metric: Metric) -> bool {
    metric.tag().starts_with("credit") || metric == Metric::ClientSendDelay
}

fn is_time_or_rate(metric: Metric) -> bool {
    let unit = metric.definition().unit.label();
    unit == "ns" || unit.contains("/sec")
}

fn is(metric: Metric, group: ConsoleGroup) -> bool {
    metric.definition().group == group
}

/// Whether the metric has one of the flags; with no flag named, whether it belongs to no family that has its own section.
fn has(metric: Metric, flags: &[Flags]) -> bool {
    const FAMILIES: [Flags; 14] = [
        Flags::SERVER_TIMES,
        Flags::IMAGE,
        Flags::AUDIO,
        Flags::VIDEO_OUT,
        Flags::GOODPUT,
        Flags::ERRORS,
        Flags::USAGE,
        Flags::TRACE,
        Flags::OPEN_LOOP,
        Flags::FIXED_SCHEDULE,
        Flags::NETWORK,
        Flags::COST,
        Flags::SPEC_DECODE,
        Flags::GPU,
    ];
    let own = metric.definition().flags;
    if flags.is_empty() {
        let elsewhere =
            [Metric::CancelledRequestCount, Metric::ResentRequestCount, Metric::EffectiveLatency].contains(&metric);
        !FAMILIES.iter().any(|flag| own.has(*flag)) && !elsewhere && !is_before_start(metric)
    } else {
        flags.iter().any(|flag| own.has(*flag))
    }
}

fn manual() -> String {
    let mut text = String::from(
        "# Metrics\n\n\
         Look up a metric of a run, or set an objective for it:\n\n\
         ```sh\n\
         jq '.request_latency' artifacts/my-run/profile_export_aiperf.json        # all statistics of one metric\n\
         jq '.metrics.request_latency' artifacts/my-run/profile_export.jsonl      # one value per request\n\
         aiperf profile --model my-model --url localhost:8000 --streaming --goodput request_latency:500\n\
         ```\n\n\
         This page is generated from the catalogue (`crates/metrics/src/catalogue/rows.rs`). To write it again, run \
         `UPDATE_DOCS=1 cargo test -p aiperf-metrics --test manual`.\n\n\
         - A record metric has one value per request (a list for `record, list`). The summary has avg, min, max, std, sum, count and the \
         percentiles p1, p5, p10, p25, p50, p75, p90, p95, p99, p99_9 and p99_99 over requests: linear interpolation at rank q (n - 1), \
         population standard deviation. [statistics.md](statistics.md) explains their confidence intervals.\n\
         - Aggregate and derived metrics are single numbers unless their kind says more.\n\
         - All metrics cover successful requests unless their section says otherwise.\n\
         - The start of a request (`request_start_ns`) is when the client begins to work on it: it takes an open connection or opens one, and writes. \
         No other request is started in between. So the start is at most microseconds before the first byte on an open connection, \
         and one connection set-up before it on a new one.\n\
         - A metric whose inputs are missing is absent, for a request or for the run.\n\
         - Units are those of the files. If a metric is computed in another unit, that unit is in brackets.\n\
         - `--goodput` takes any record metric that the run has, with a limit in the unit of the files. It is an upper limit, or a lower limit if \
         larger is better (marked ↑).\n\
         - [compatibility.md](compatibility.md) lists the definitions that differ from AIPerf's.\n",
    );
    let mut done = Vec::new();
    for (title, words, belongs) in SECTIONS {
        let rows: Vec<Metric> = Metric::ALL.iter().copied().filter(|metric| belongs(*metric)).collect();
        let _ = write!(text, "\n## {title}\n\n");
        if !words.is_empty() {
            let _ = write!(text, "{words}\n\n");
        }
        text.push_str("| tag | title | unit | kind | needs | console | formula |\n|---|---|---|---|---|---|---|\n");
        for metric in rows {
            assert!(!done.contains(&metric), "{} is in two sections, the second is {title}", metric.tag());
            done.push(metric);
            text.push_str(&row(metric.definition()));
        }
    }
    for metric in Metric::ALL {
        assert!(done.contains(metric), "{} is in no section", metric.tag());
    }
    text
}

fn row(definition: &Definition) -> String {
    let Definition { tag, header, unit, shown, kind, group, order, flags, formula } = *definition;
    let unit = if unit == shown { shown.label().to_owned() } else { format!("{} ({})", shown.label(), unit.label()) };
    let larger = if flags.has(Flags::LARGER) { " ↑" } else { "" };
    let needs: Vec<_> = definition.needs().collect();
    let place = match (group.title("main"), order) {
        (None, _) => "–".to_owned(),
        _ if flags.has(Flags::INTERNAL) || flags.has(Flags::EXPERIMENTAL) => "developers only".to_owned(),
        _ if flags.has(Flags::ERRORS) => "error summary".to_owned(),
        (Some(table), Some(order)) => format!("{table}, {order}"),
        (Some(table), None) => format!("{table}, last"),
    };
    let cells = [
        format!("`{tag}`"),
        format!("{header}{larger}"),
        unit,
        kind.name().to_owned(),
        needs.join(", "),
        place,
        formula.replace('|', "\\|"),
    ];
    format!("| {} |\n", cells.join(" | "))
}

#[test]
fn docs_metrics_md_says_what_the_catalogue_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let wanted = manual();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/metrics.md is out of date; UPDATE_DOCS=1 cargo test -p aiperf-metrics --test manual rewrites it"
    );
    for metric in Metric::ALL {
        assert!(found.contains(&format!("| `{}` |", metric.tag())), "{} has no line", metric.tag());
    }
}
