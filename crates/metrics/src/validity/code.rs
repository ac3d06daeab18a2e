//! The stable names of validity notes.

/// What kind of note it is: what files, `--strict` and the documentation call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ValidityCode {
    MaxTokensFieldRefused,
    ServerNotReady,
    ErrorShare,
    RequestsResent,
    ClientSaturated,
    LateFirstTokens,
    MergedChunks,
    BeyondCertifiedLoad,
    ClockStep,
    RecordsLost,
    RateShortfall,
    ConcurrencyNotReached,
    ConcurrencyCeilingReached,
    HiddenWait,
    ReplayDegraded,
    LittlesLawGap,
    WarmupMissing,
    NonStationary,
    SampleFloor,
    NotStreamed,
    ChunksWithSeveralTokens,
    UndecodableEvents,
    InputLengthOff,
    OutputLengthOff,
    TokenCountsDiffer,
    ServerCountsMissing,
    CacheCountsMissing,
    RowsLeftOut,
}

impl ValidityCode {
    /// In the order in which notes are worth reading.
    pub const ALL: [Self; 28] = [
        Self::MaxTokensFieldRefused,
        Self::ServerNotReady,
        Self::ErrorShare,
        Self::RequestsResent,
        Self::ClientSaturated,
        Self::LateFirstTokens,
        Self::MergedChunks,
        Self::BeyondCertifiedLoad,
        Self::ClockStep,
        Self::RecordsLost,
        Self::RateShortfall,
        Self::ConcurrencyNotReached,
        Self::ConcurrencyCeilingReached,
        Self::HiddenWait,
        Self::ReplayDegraded,
        Self::LittlesLawGap,
        Self::WarmupMissing,
        Self::NonStationary,
        Self::SampleFloor,
        Self::NotStreamed,
        Self::ChunksWithSeveralTokens,
        Self::UndecodableEvents,
        Self::InputLengthOff,
        Self::OutputLengthOff,
        Self::TokenCountsDiffer,
        Self::ServerCountsMissing,
        Self::CacheCountsMissing,
        Self::RowsLeftOut,
    ];

    /// As files and `--strict` spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxTokensFieldRefused => "max_tokens_field_refused",
            Self::ServerNotReady => "server_not_ready",
            Self::ErrorShare => "error_share",
            Self::RequestsResent => "requests_resent",
            Self::ClientSaturated => "client_saturated",
            Self::LateFirstTokens => "late_first_tokens",
            Self::MergedChunks => "merged_chunks",
            Self::BeyondCertifiedLoad => "beyond_certified_load",
            Self::ClockStep => "clock_step",
            Self::RecordsLost => "records_lost",
            Self::RateShortfall => "rate_shortfall",
            Self::ConcurrencyNotReached => "concurrency_not_reached",
            Self::ConcurrencyCeilingReached => "concurrency_ceiling_reached",
            Self::HiddenWait => "hidden_wait",
            Self::ReplayDegraded => "replay_degraded",
            Self::LittlesLawGap => "littles_law_gap",
            Self::WarmupMissing => "warmup_missing",
            Self::NonStationary => "non_stationary",
            Self::SampleFloor => "sample_floor",
            Self::NotStreamed => "not_streamed",
            Self::ChunksWithSeveralTokens => "chunks_with_several_tokens",
            Self::UndecodableEvents => "undecodable_events",
            Self::InputLengthOff => "input_length_off",
            Self::OutputLengthOff => "output_length_off",
            Self::TokenCountsDiffer => "token_counts_differ",
            Self::ServerCountsMissing => "server_counts_missing",
            Self::CacheCountsMissing => "cache_counts_missing",
            Self::RowsLeftOut => "rows_left_out",
        }
    }

    /// Hyphens and case do not matter.
    pub fn from_name(name: &str) -> Option<Self> {
        let wanted = name.trim().to_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|code| code.name() == wanted)
    }

    /// Whether records alone tell, so that a summary that is made again from them needs no earlier one for it.
    pub const fn follows_from_records(self) -> bool {
        !matches!(
            self,
            Self::ServerNotReady
                | Self::ClientSaturated
                | Self::LateFirstTokens
                | Self::MergedChunks
                | Self::BeyondCertifiedLoad
                | Self::ClockStep
                | Self::RecordsLost
                | Self::RateShortfall
                | Self::ConcurrencyNotReached
                | Self::ConcurrencyCeilingReached
                | Self::UndecodableEvents
                | Self::InputLengthOff
                | Self::CacheCountsMissing
                | Self::RowsLeftOut
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_in_its_place_and_found_by_its_name() {
        for (place, code) in ValidityCode::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, place);
            assert_eq!(ValidityCode::from_name(code.name()), Some(code));
            assert_eq!(ValidityCode::from_name(&code.name().to_uppercase().replace('_', "-")), Some(code));
        }
        assert_eq!(ValidityCode::from_name("no_such"), None);
    }
}
