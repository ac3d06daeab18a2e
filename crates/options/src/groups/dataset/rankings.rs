//! Queries and passages, for endpoints that rank.

use aiperf_config::Rankings;
use aiperf_protocol::EndpointKind;

use super::length;
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Rankings: queries and passages.
pub(crate) const RANKINGS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::RankingsPassagesMean,
        &["rankings-passages-mean"],
        ValueKind::Int,
        "Mean number of passages per query.",
    )
    .at_least(1.0)
    .default("10")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsPassagesStddev,
        &["rankings-passages-stddev"],
        ValueKind::Int,
        "Standard deviation of the number of passages per query.",
    )
    .at_least(0.0)
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsPassagesPromptTokenMean,
        &["rankings-passages-prompt-token-mean"],
        ValueKind::Int,
        "Mean length of a passage.",
    )
    .at_least(1.0)
    .unit("tokens")
    .default("128")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsPassagesPromptTokenStddev,
        &["rankings-passages-prompt-token-stddev"],
        ValueKind::Int,
        "Standard deviation of the length of a passage.",
    )
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsQueryPromptTokenMean,
        &["rankings-query-prompt-token-mean"],
        ValueKind::Int,
        "Mean length of a query.",
    )
    .at_least(1.0)
    .unit("tokens")
    .default("32")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsQueryPromptTokenStddev,
        &["rankings-query-prompt-token-stddev"],
        ValueKind::Int,
        "Standard deviation of the length of a query.",
    )
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
];

pub(super) const OPTIONS: [OptionId; 6] = [
    OptionId::RankingsPassagesMean,
    OptionId::RankingsPassagesStddev,
    OptionId::RankingsPassagesPromptTokenMean,
    OptionId::RankingsPassagesPromptTokenStddev,
    OptionId::RankingsQueryPromptTokenMean,
    OptionId::RankingsQueryPromptTokenStddev,
];

/// What describes prompts, of which a request to rank has none.
const PROMPTS: [OptionId; 10] = [
    OptionId::PromptInputTokensMean,
    OptionId::PromptInputTokensStddev,
    OptionId::SeqDist,
    OptionId::RandomRangeRatio,
    OptionId::PromptBatchSize,
    OptionId::PromptPrefixPoolSize,
    OptionId::PromptPrefixLength,
    OptionId::UserContextPromptLength,
    OptionId::ConversationTurnMean,
    OptionId::ConversationTurnStddev,
];

/// `Some` where the endpoint ranks.
pub(super) fn resolve(raw: &RawOptions, kind: EndpointKind) -> Result<Option<Rankings>, ConfigError> {
    if !kind.facts().ranks {
        return match OPTIONS.into_iter().find(|id| raw.is_given(*id)) {
            Some(id) => {
                let why = "other endpoints do not rank passages; use --isl for the length of their prompts";
                Err(raw.needs_text(id, "an --endpoint-type that ranks, such as cohere_rankings", why))
            }
            None => Ok(None),
        };
    }
    if let Some(id) = PROMPTS.into_iter().find(|id| raw.is_given(*id)) {
        let why = "a request to rank has one query and its passages; --rankings-query-prompt-token-mean, \
                   --rankings-passages-mean and --rankings-passages-prompt-token-mean describe them";
        return Err(raw.conflict(id, OptionId::EndpointType, why));
    }
    let read = |mean_id: OptionId, stddev_id: OptionId, default: f64| length::read_or(raw, mean_id, stddev_id, default);
    let Rankings { passages, passage_tokens, query_tokens } = Rankings::default();
    let [passages_mean, passages_stddev, passage_mean, passage_stddev, query_mean, query_stddev] = OPTIONS;
    Ok(Some(Rankings {
        passages: read(passages_mean, passages_stddev, passages.mean())?,
        passage_tokens: read(passage_mean, passage_stddev, passage_tokens.mean())?,
        query_tokens: read(query_mean, query_stddev, query_tokens.mean())?,
    }))
}

#[cfg(test)]
mod tests {
    use aiperf_config::Length;

    use super::*;

    fn given(options: &[(OptionId, &str)]) -> RawOptions {
        let mut raw = RawOptions::default();
        for (id, value) in options {
            raw.push(*id, id.flag(), vec![(*value).to_owned()]);
        }
        raw
    }

    #[test]
    fn each_option_changes_its_own_value_only() {
        let read = |options: &[(OptionId, &str)]| resolve(&given(options), EndpointKind::CohereRankings).unwrap();
        assert_eq!(read(&[]), Some(Rankings::default()));
        let more = [(OptionId::RankingsPassagesMean, "4"), (OptionId::RankingsQueryPromptTokenStddev, "3")];
        let wanted = Rankings {
            passages: Length::constant(4.0),
            query_tokens: Length::normal(32.0, 3.0),
            passage_tokens: Length::constant(128.0),
        };
        assert_eq!(read(&more), Some(wanted));
    }

    #[test]
    fn prompts_and_rankings_do_not_mix() {
        for id in OPTIONS {
            let error = resolve(&given(&[(id, "1")]), EndpointKind::Chat).unwrap_err().to_string();
            assert!(error.contains(&id.flag()) && error.contains("cohere_rankings"), "{error}");
        }
        for id in PROMPTS {
            let error = resolve(&given(&[(id, "1")]), EndpointKind::NimRankings).unwrap_err().to_string();
            assert!(error.contains(&id.flag()) && error.contains("--rankings-passages-mean"), "{error}");
        }
    }
}
