//! The units in which metrics are computed and shown.

/// A unit as files and the console spell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Nanoseconds,
    Milliseconds,
    Seconds,
    Tokens,
    Requests,
    Count,
    Ratio,
    Percent,
    Bytes,
    Kilobytes,
    TokensPerSecond,
    TokensPerSecondPerUser,
    RequestsPerSecond,
    ChunksPerSecond,
    Images,
    ImagesPerSecond,
    MillisecondsPerImage,
    Megabytes,
    Watts,
    Joules,
    JouleSeconds,
    RequestsPerSecondPerWatt,
    TokensPerSecondPerWatt,
    GoodRequestsPerSecondPerWatt,
    MillijoulesPerToken,
    JoulesPerRequest,
    JoulesPerUser,
    TokensPerJoule,
    /// In the currency that `--cost-per-gpu-hour` is in.
    CostPerMillionTokens,
    /// In the currency that `--cost-per-gpu-hour` is in.
    CostPerThousandRequests,
}

impl Unit {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Milliseconds => "ms",
            Self::Seconds => "sec",
            Self::Tokens => "tokens",
            Self::Requests => "requests",
            Self::Count => "count",
            Self::Ratio => "ratio",
            Self::Percent => "%",
            Self::Bytes => "B",
            Self::Kilobytes => "KB",
            Self::TokensPerSecond => "tokens/sec",
            Self::TokensPerSecondPerUser => "tokens/sec/user",
            Self::RequestsPerSecond => "requests/sec",
            Self::ChunksPerSecond => "chunks/sec",
            Self::Images => "images",
            Self::ImagesPerSecond => "images/sec",
            Self::MillisecondsPerImage => "ms/image",
            Self::Megabytes => "MB",
            Self::Watts => "W",
            Self::Joules => "J",
            Self::JouleSeconds => "J*s",
            Self::RequestsPerSecondPerWatt => "requests/sec/W",
            Self::TokensPerSecondPerWatt => "tokens/sec/W",
            Self::GoodRequestsPerSecondPerWatt => "good-req/s/W",
            Self::MillijoulesPerToken => "mJ/token",
            Self::JoulesPerRequest => "joules/request",
            Self::JoulesPerUser => "joules/user",
            Self::TokensPerJoule => "tokens/J",
            Self::CostPerMillionTokens => "cost/1M tokens",
            Self::CostPerThousandRequests => "cost/1K requests",
        }
    }

    /// Turns a value of this unit into `shown`. Pairs that no metric uses keep the value.
    pub(crate) fn convert(self, value: f64, shown: Self) -> f64 {
        match (self, shown) {
            (Self::Nanoseconds, Self::Milliseconds) => value * 1e-6,
            (Self::Nanoseconds, Self::Seconds) => value * 1e-9,
            (Self::Seconds, Self::Milliseconds) => value * 1e3,
            (Self::Bytes, Self::Kilobytes) => value / 1024.0,
            _ => value,
        }
    }

    /// The inverse of [`Unit::convert`]: from the shown unit back to this one.
    pub(crate) fn convert_back(self, value: f64, shown: Self) -> f64 {
        match (self, shown) {
            (Self::Nanoseconds, Self::Milliseconds) => value * 1e6,
            (Self::Nanoseconds, Self::Seconds) => value * 1e9,
            (Self::Seconds, Self::Milliseconds) => value * 1e-3,
            (Self::Bytes, Self::Kilobytes) => value * 1024.0,
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_and_bytes_are_shown_in_larger_units() {
        assert!((Unit::Nanoseconds.convert(2_500_000.0, Unit::Milliseconds) - 2.5).abs() < 1e-12);
        assert!((Unit::Bytes.convert(512.0, Unit::Kilobytes) - 0.5).abs() < 1e-12);
        assert!((Unit::Nanoseconds.convert_back(2.5, Unit::Milliseconds) - 2_500_000.0).abs() < 1e-6);
    }
}
