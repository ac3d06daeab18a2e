//! Markers that keep a server from answering out of its prefix cache.

/// Which requests are marked, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheBust {
    #[default]
    None,
    /// Every session gets a marker of its own.
    EachSession { place: MarkerPlace, side: MarkerSide },
    /// All sessions of the warmup get the same marker, so that what they leave in the cache is of no use to the others.
    Warmup { place: MarkerPlace },
}

/// The message that a marker stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerPlace {
    /// The first user message where there is no system message.
    System,
    /// The first user message.
    FirstTurn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerSide {
    Prefix,
    Suffix,
}

impl CacheBust {
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::EachSession { place: MarkerPlace::System, side: MarkerSide::Prefix },
        Self::EachSession { place: MarkerPlace::System, side: MarkerSide::Suffix },
        Self::EachSession { place: MarkerPlace::FirstTurn, side: MarkerSide::Prefix },
        Self::EachSession { place: MarkerPlace::FirstTurn, side: MarkerSide::Suffix },
        Self::Warmup { place: MarkerPlace::System },
        Self::Warmup { place: MarkerPlace::FirstTurn },
    ];

    /// As `--cache-bust` spells it.
    pub const fn name(self) -> &'static str {
        use MarkerPlace::{FirstTurn, System};
        use MarkerSide::{Prefix, Suffix};
        match self {
            Self::None => "none",
            Self::EachSession { place: System, side: Prefix } => "system_prefix",
            Self::EachSession { place: System, side: Suffix } => "system_suffix",
            Self::EachSession { place: FirstTurn, side: Prefix } => "first_turn_prefix",
            Self::EachSession { place: FirstTurn, side: Suffix } => "first_turn_suffix",
            Self::Warmup { place: System } => "warmup_isolation_system",
            Self::Warmup { place: FirstTurn } => "warmup_isolation_first_turn",
        }
    }
}
