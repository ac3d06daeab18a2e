//! The one table of simulator options: the query form, command-line flags and documentation all come from it.

use aiperf_clock::Nanos;
use aiperf_option_table::{OptionRow, Setter, at_least_one, at_least_zero, number, option_row as option, share};
use aiperf_seed::Seed;

use crate::generation::distribution::Distribution;
use crate::options::{ReasoningField, SimOptions, TokenCounting, ToolUse, UsageReport};

/// One option; a value is read into [`SimOptions`].
pub type SimOption = OptionRow<Setter<SimOptions>>;

/// Every option, in the order in which help and documentation show them.
pub static SIM_OPTIONS: &[SimOption] = &[
    option!("ttft", Distribution::NOTATION, "40", "Milliseconds to the first token", |o, v| o.ttft = v.parse()?),
    option!("prefill", "MS", "0", "Milliseconds of prefill for each prompt token, added to ttft", |o, v| {
        o.prefill = at_least_zero(v)?;
    }),
    option!("itl", Distribution::NOTATION, "8", "Milliseconds between output tokens", |o, v| o.itl = v.parse()?),
    option!("cold", "N", "0", "Number of first requests that find the server cold; 0 for none", |o, v| o.cold =
        number(v)?),
    option!("cold_ms", "MS", "1000", "Milliseconds that a cold server adds to the first token", |o, v| {
        o.cold_ms = at_least_zero(v)?;
    }),
    option!("drift", "MS", "0", "Milliseconds that each earlier request adds to the first token", |o, v| {
        o.drift = at_least_zero(v)?;
    }),
    option!("osl", Distribution::NOTATION, "64", "Output tokens when the request sets no limit", |o, v| {
        o.osl = v.parse()?;
    }),
    option!(
        "early_stop",
        "SHARE",
        "0",
        "Share of replies that end below their limit, unless ignore_eos is set",
        |o, v| {
            o.early_stop = share(v)?;
        }
    ),
    option!("tokens_per_chunk", "N", "1", "Output tokens in one streamed chunk", |o, v| {
        o.tokens_per_chunk = at_least_one(v)?;
    }),
    option!(
        "batch",
        "N",
        "256",
        "Maximum number of requests that run at the same time; others wait in order of arrival",
        |o, v| {
            o.batch = at_least_one(v)?;
        }
    ),
    option!(
        "most",
        "N",
        "0",
        "Maximum number of text requests that run and wait together; further ones are refused with status 429 after ttft; 0 for no limit",
        |o, v| {
            o.most_in_system = number(v)?;
        }
    ),
    option!(
        "context",
        "TOKENS",
        "0",
        "Maximum tokens of prompt and output together; longer requests are refused; 0 for no limit",
        |o, v| {
            o.context = number(v)?;
        }
    ),
    option!(
        "cache",
        "BLOCKS",
        "0",
        "Blocks in the prefix cache, least recently used dropped first; 0 turns it off",
        |o, v| {
            o.cache_blocks = number(v)?;
        }
    ),
    option!("cache_block", "TOKENS", "16", "Tokens in one block of the prefix cache", |o, v| {
        o.cache_block = at_least_one(v)?;
    }),
    option!(
        "kv_blocks",
        "BLOCKS",
        "16777216",
        "Blocks in the KV cache, of cache_block tokens each; a request waits until those of its prompt and reply are free",
        |o, v| {
            o.kv_blocks = at_least_one(v)?;
        }
    ),
    option!(
        "reasoning",
        "TOKENS",
        "0",
        "Number of output tokens that are reasoning, at the start of the reply",
        |o, v| {
            o.reasoning = number(v)?;
        }
    ),
    option!(
        "reasoning_field",
        "reasoning_content|reasoning",
        "reasoning_content",
        "Name of the reasoning field",
        |o, v| {
            o.reasoning_field = match v {
                "reasoning_content" => ReasoningField::ReasoningContent,
                "reasoning" => ReasoningField::Reasoning,
                _ => return Err("no such field".to_owned()),
            };
        }
    ),
    option!("tools", "never|offered|always|beside", "never", "Answer chats with a tool call", |o, v| {
        o.tools = match v {
            "never" => ToolUse::Never,
            "offered" => ToolUse::Offered,
            "always" => ToolUse::Always,
            "beside" => ToolUse::Beside,
            _ => return Err("no such choice".to_owned()),
        };
    }),
    option!("usage", "asked|never", "asked", "Report usage in chats and completions when asked, or never", |o, v| {
        o.usage = match v {
            "asked" => UsageReport::Asked,
            "never" => UsageReport::Never,
            _ => return Err("no such choice".to_owned()),
        };
    }),
    option!(
        "spec_drafts",
        "N",
        "0",
        "Draft tokens per step of the speculative decoding that usage reports; 0 reports none",
        |o, v| {
            o.spec_drafts = match number(v)? {
                drafts @ 0..=64 => drafts,
                _ => return Err("at most 64".to_owned()),
            };
        }
    ),
    option!(
        "request_metrics",
        "true|false",
        "false",
        "State queue time, time to first token and mean gap in replies to requests with include_metrics, as vLLM can",
        |o, v| {
            o.request_metrics = v.parse().map_err(|_| "neither true nor false".to_owned())?;
        }
    ),
    option!(
        "count",
        "exact|approx",
        "exact",
        "Count prompt tokens with o200k, or as a quarter of the bytes",
        |o, v| {
            o.count = match v {
                "exact" => TokenCounting::Exact,
                "approx" => TokenCounting::Approximate,
                _ => return Err("no such way to count".to_owned()),
            };
        }
    ),
    option!("embed_dim", "N", "16", "Length of an embedding when the request names none", |o, v| {
        o.embed_dim = at_least_one(v)?;
    }),
    option!("model", "NAME", "sim-model", "Model that /v1/models lists; requests may name any model", |o, v| {
        o.model = if v.is_empty() { return Err("a model needs a name".to_owned()) } else { v.to_owned() };
    }),
    option!("seed", "N", "0", "Seed of everything random", |o, v| o.seed = Seed::fixed(number(v)?)),
    option!("threads", "N", "1", "Number of server threads", |o, v| o.threads = at_least_one(v)?),
    option!("gpus", "N", "0", "Number of simulated GPUs on the DCGM page at /dcgm/metrics; 0 turns it off", |o, v| {
        o.gpus.count = number(v)?;
    }),
    option!("gpu_idle", "WATTS", "75", "Power of a GPU while no request runs", |o, v| {
        o.gpus.idle_watts = at_least_zero(v)?;
    }),
    option!("gpu_busy", "WATTS", "700", "Power of a GPU while gpu_full requests or more run", |o, v| {
        o.gpus.busy_watts = at_least_zero(v)?;
    }),
    option!(
        "gpu_full",
        "N",
        "8",
        "Running requests at which a GPU takes gpu_busy; below, power grows with their number",
        |o, v| {
            o.gpus.full = at_least_one(v)?;
        }
    ),
    option!(
        "gpu_refresh",
        "SECONDS",
        "0",
        "Interval at which the DCGM page gets new values, 30 for a stock exporter; 0 for always current",
        |o, v| {
            o.gpus.refresh = Nanos::from_secs_f64(at_least_zero(v)?);
        }
    ),
    option!(
        "dcgm_port",
        "PORT",
        "",
        "Port on which /metrics is the DCGM page, as with a stock exporter; 0 selects a free port",
        |o, v| {
            o.gpus.port = if v.is_empty() { None } else { Some(number(v)?) };
        }
    ),
    option!("error_rate", "SHARE", "0", "Share of requests answered with error_status", |o, v| {
        o.faults.error.rate = share(v)?;
    }),
    option!("error_every", "N", "0", "Every Nth request is answered with error_status; 0 is none", |o, v| {
        o.faults.error.every = number(v)?;
    }),
    option!("error_first", "N", "0", "The first N requests are answered with error_status", |o, v| {
        o.faults.error_first = number(v)?;
    }),
    option!("error_status", "STATUS", "500", "HTTP status of error_rate, error_every and error_first", |o, v| {
        let status: u16 = number(v)?;
        if !(400..=599).contains(&status) {
            return Err("an error status lies between 400 and 599".to_owned());
        }
        o.faults.error_status = status;
    }),
    option!("drop_rate", "SHARE", "0", "Share of requests whose connection is closed without an answer", |o, v| {
        o.faults.dropped.rate = share(v)?;
    }),
    option!("drop_every", "N", "0", "Every Nth connection is closed without an answer; 0 is none", |o, v| {
        o.faults.dropped.every = number(v)?;
    }),
    option!("empty_rate", "SHARE", "0", "Share of text replies that are empty", |o, v| {
        o.faults.empty.rate = share(v)?;
    }),
    option!("empty_every", "N", "0", "Every Nth text reply is empty; 0 is none", |o, v| {
        o.faults.empty.every = number(v)?;
    }),
    option!("stall_rate", "SHARE", "0", "Share of replies that pause for stall_ms part-way", |o, v| {
        o.faults.stall.rate = share(v)?;
    }),
    option!("stall_every", "N", "0", "Every Nth reply pauses for stall_ms part-way; 0 is none", |o, v| {
        o.faults.stall.every = number(v)?;
    }),
    option!("stall_ms", "MS", "1000", "Length of the pause of stall_rate and stall_every", |o, v| {
        o.faults.stall_span = millis(at_least_zero(v)?);
    }),
    option!("reset_rate", "SHARE", "0", "Share of replies whose connection is reset part-way", |o, v| {
        o.faults.reset.rate = share(v)?;
    }),
    option!("reset_every", "N", "0", "Every Nth reply is reset part-way; 0 is none", |o, v| {
        o.faults.reset.every = number(v)?;
    }),
    option!("cut_rate", "SHARE", "0", "Share of replies that end part-way without finish or [DONE]", |o, v| {
        o.faults.cut.rate = share(v)?;
    }),
    option!("cut_every", "N", "0", "Every Nth reply ends part-way; 0 is none", |o, v| {
        o.faults.cut.every = number(v)?;
    }),
    option!("inband_rate", "SHARE", "0", "Share of replies with an error object under status 200", |o, v| {
        o.faults.inband.rate = share(v)?;
    }),
    option!("inband_every", "N", "0", "Every Nth reply has an error object under status 200; 0 is none", |o, v| {
        o.faults.inband.every = number(v)?;
    }),
    option!("malformed_rate", "SHARE", "0", "Share of replies with one chunk that is not JSON", |o, v| {
        o.faults.malformed.rate = share(v)?;
    }),
    option!("malformed_every", "N", "0", "Every Nth reply has one chunk that is not JSON; 0 is none", |o, v| {
        o.faults.malformed.every = number(v)?;
    }),
    option!(
        "stall_at",
        "SECONDS",
        "0",
        "Time after its start at which the whole server stops for stall_for",
        |o, v| {
            o.stall_at = Nanos::from_secs_f64(at_least_zero(v)?);
        }
    ),
    option!("stall_for", "SECONDS", "0", "Time for which the whole server stops at stall_at; 0 is never", |o, v| {
        o.stall_for = Nanos::from_secs_f64(at_least_zero(v)?);
    }),
    option!(
        "truth",
        "PATH",
        "",
        "File for the simulator's own record of the run: one JSON line for each finished request",
        |o, v| {
            o.truth_file = if v.is_empty() { None } else { Some(v.into()) };
        }
    ),
    option!("truth_body", "true|false", "false", "Keep request bodies in the truth file", |o, v| {
        o.truth_bodies = v.parse().map_err(|_| "neither true nor false".to_owned())?;
    }),
    option!(
        "truth_keep",
        "N",
        "10000",
        "Finished requests to keep in memory for /sim/truth; the truth file holds all of them",
        |o, v| {
            o.truth_keep = number(v)?;
        }
    ),
];

fn millis(value: f64) -> Nanos {
    Nanos::from_secs_f64(value / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_in_the_table_are_the_defaults() {
        for option in SIM_OPTIONS {
            let mut options = SimOptions::default();
            options.set(option.name, option.default).unwrap();
            assert_eq!(options, SimOptions::default(), "{}", option.name);
        }
    }

    #[test]
    fn names_are_unique_and_every_option_is_explained() {
        for (i, option) in SIM_OPTIONS.iter().enumerate() {
            assert!(SIM_OPTIONS[..i].iter().all(|other| other.name != option.name), "{} twice", option.name);
            assert!(!option.help.is_empty() && !option.value.is_empty(), "{}", option.name);
        }
    }

    #[test]
    fn every_fault_has_a_rate_and_a_count() {
        for stem in ["error", "drop", "empty", "stall", "reset", "cut", "inband", "malformed"] {
            for suffix in ["rate", "every"] {
                let mut options = SimOptions::default();
                options.set(&format!("{stem}_{suffix}"), "1").unwrap();
                assert_ne!(options, SimOptions::default(), "{stem}_{suffix}");
            }
        }
    }
}
