//! What a user wants to find out, and the options of `aiperf profile` that answer it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    Latency,
    Load,
    Throughput,
    Capacity,
    Regression,
}

impl Goal {
    pub(crate) const ALL: [Self; 5] = [Self::Latency, Self::Load, Self::Throughput, Self::Capacity, Self::Regression];

    /// The value of `--goal`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Load => "load",
            Self::Throughput => "throughput",
            Self::Capacity => "capacity",
            Self::Regression => "regression",
        }
    }

    /// A goal by its name or by its number in the list, from 1.
    pub(crate) fn from_answer(answer: &str) -> Option<Self> {
        let number: Option<usize> = answer.parse().ok();
        let listed = number.and_then(|number| Self::ALL.get(number.checked_sub(1)?).copied());
        listed.or_else(|| Self::ALL.into_iter().find(|goal| goal.name().eq_ignore_ascii_case(answer)))
    }

    /// What the run answers.
    pub(crate) fn question(self) -> &'static str {
        match self {
            Self::Latency => "How long does a single user wait?",
            Self::Load => "How long do users wait at a fixed request rate, and how many requests keep the limits?",
            Self::Throughput => "How do throughput and latency change with the number of users?",
            Self::Capacity => "How many users can the server have before latency exceeds a limit?",
            Self::Regression => "Is a change of the server a regression?",
        }
    }

    /// The options of `aiperf profile` besides the server and the model.
    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Self::Latency => &["--concurrency", "1", "--request-count", "50", "--warmup-request-count", "3"],
            Self::Load => &[
                "--request-rate",
                "5",
                "--benchmark-duration",
                "60",
                "--goodput",
                "time_to_first_token:500 inter_token_latency:50",
            ],
            Self::Throughput => &["--concurrency", "1,4,16,64", "--request-count", "300"],
            Self::Capacity => &[
                "--search-recipe",
                "max-concurrency-under-sla",
                "--ttft-sla-ms",
                "500",
                "--itl-sla-ms",
                "50",
                "--request-count",
                "500",
            ],
            Self::Regression => &["--concurrency", "16", "--request-count", "500", "--artifact-dir", "baseline"],
        }
    }

    /// What to change in the command, and what to do with its result.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Latency => {
                "Look at Time to First Token and Request Latency. Set --isl and --osl to your token counts."
            }
            Self::Load => {
                "Set --request-rate to the requests per second that you expect, and --goodput to your limits in milliseconds."
            }
            Self::Throughput => "The last table compares all points. Draw them: aiperf plot FOLDER.",
            Self::Capacity => "Set --ttft-sla-ms and --itl-sla-ms to your limits for the p95, in milliseconds.",
            Self::Regression => {
                "After the change, run it again with --artifact-dir candidate. Then: aiperf gate --baseline baseline candidate"
            }
        }
    }
}
