//! Which instrument a metric of this program is sent as: the names of the GenAI conventions where they have one, otherwise
//! `aiperf.` and the metric's tag.

use aiperf_metrics::Metric;

use super::buckets::{self, SentUnit, sent_unit};

/// One histogram that is sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instrument {
    pub(crate) name: InstrumentName,
    pub(crate) description: &'static str,
    pub(crate) unit: &'static str,
    /// From the metric's base unit to the unit that is sent.
    pub(crate) factor: f64,
    pub(crate) bounds: &'static [f64],
    pub(crate) token_type: Option<TokenType>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstrumentName {
    /// A name of the GenAI conventions; its points have the attributes of these conventions.
    GenAi(&'static str),
    /// The tag of the metric.
    Ours(&'static str),
}

/// `gen_ai.token.type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenType {
    Input,
    Output,
}

impl TokenType {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

impl InstrumentName {
    pub(crate) fn whole(self) -> String {
        match self {
            Self::GenAi(name) => name.to_owned(),
            Self::Ours(tag) => format!("aiperf.{tag}"),
        }
    }
}

impl Instrument {
    /// The instruments of a metric of one request: usually one. Lengths are sent under both names.
    pub(crate) fn of(metric: Metric) -> Vec<Self> {
        let gen_ai = |name, description, unit, factor, bounds, token_type| Self {
            name: InstrumentName::GenAi(name),
            description,
            unit,
            factor,
            bounds,
            token_type,
        };
        let tokens = |token_type| {
            let description = "Number of input and output tokens used.";
            gen_ai("gen_ai.client.token.usage", description, "{token}", 1.0, buckets::TOKEN_USAGE, Some(token_type))
        };
        match metric {
            Metric::RequestLatency => vec![Self::operation_duration()],
            Metric::TimeToFirstToken => vec![gen_ai(
                "gen_ai.client.operation.time_to_first_chunk",
                "Time until the first chunk of the response.",
                "s",
                1e-9,
                buckets::FIRST_CHUNK,
                None,
            )],
            Metric::InterTokenLatency => vec![gen_ai(
                "gen_ai.client.operation.time_per_output_chunk",
                "Time per output token after the first.",
                "s",
                1e-9,
                buckets::OUTPUT_CHUNK,
                None,
            )],
            Metric::InputSequenceLength => vec![tokens(TokenType::Input), Self::ours(metric)],
            Metric::OutputSequenceLength => vec![tokens(TokenType::Output), Self::ours(metric)],
            _ => vec![Self::ours(metric)],
        }
    }

    /// The whole operation. Failed requests are part of it, with `error.type`.
    pub(crate) fn operation_duration() -> Self {
        Self {
            name: InstrumentName::GenAi("gen_ai.client.operation.duration"),
            description: "GenAI operation duration.",
            unit: "s",
            factor: 1e-9,
            bounds: buckets::OPERATION_DURATION,
            token_type: None,
        }
    }

    fn ours(metric: Metric) -> Self {
        let definition = metric.definition();
        let SentUnit { name, factor, bounds } = sent_unit(definition.unit);
        Self {
            name: InstrumentName::Ours(definition.tag),
            description: definition.formula,
            unit: name,
            factor,
            bounds,
            token_type: None,
        }
    }
}
