//! Bucket bounds of histograms. Those of the GenAI conventions have every bound that the conventions name, so that queries written
//! for other programs work; finer ones are added where the conventions would put a whole run into one bucket.

use aiperf_metrics::Unit;

/// Seconds of a whole request: the bounds of the conventions, continued by two, because long answers take minutes.
pub(crate) const OPERATION_DURATION: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68];

/// Seconds until the first chunk.
pub(crate) const FIRST_CHUNK: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45,
    0.5, 0.75, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0,
];

/// Seconds for each output chunk; servers reach a few milliseconds.
pub(crate) const OUTPUT_CHUNK: &[f64] = &[
    0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.01, 0.0125, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1,
    0.12, 0.14, 0.16, 0.18, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.75, 1.0, 2.0, 5.0,
];

/// Tokens, as the conventions have them.
pub(crate) const TOKEN_USAGE: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
];

/// From 10 microseconds to 1,000 seconds, three for each factor of ten.
const SECONDS: &[f64] = &[
    1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0,
    50.0, 100.0, 200.0, 500.0, 1_000.0,
];

/// Powers of two from 1 to a million.
const TOKENS: &[f64] = &[
    1.0,
    2.0,
    4.0,
    8.0,
    16.0,
    32.0,
    64.0,
    128.0,
    256.0,
    512.0,
    1_024.0,
    2_048.0,
    4_096.0,
    8_192.0,
    16_384.0,
    32_768.0,
    65_536.0,
    131_072.0,
    262_144.0,
    524_288.0,
    1_048_576.0,
];

/// Powers of four from 64 bytes to 1 GiB.
const BYTES: &[f64] = &[
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
    268_435_456.0,
    1_073_741_824.0,
];

/// Differences may be negative.
const PERCENT: &[f64] = &[
    -100.0, -50.0, -20.0, -10.0, -5.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0,
    90.0, 95.0, 99.0, 100.0, 200.0, 500.0, 1_000.0,
];

const RATIO: &[f64] = &[
    0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0, 50.0, 100.0,
    1_000.0,
];

const COUNT: &[f64] =
    &[0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0, 100_000.0];

/// Rates of one request, and everything else: three for each factor of ten.
const RATE: &[f64] = &[
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    20.0,
    50.0,
    100.0,
    200.0,
    500.0,
    1_000.0,
    2_000.0,
    5_000.0,
    10_000.0,
    20_000.0,
    50_000.0,
    100_000.0,
    1_000_000.0,
];

/// How values of a unit are sent: the unit's name in UCUM, the factor to it, and the bounds.
pub(crate) struct SentUnit {
    pub(crate) name: &'static str,
    pub(crate) factor: f64,
    pub(crate) bounds: &'static [f64],
}

/// How values of a metric with this base unit are sent.
pub(crate) const fn sent_unit(unit: Unit) -> SentUnit {
    let (name, factor, bounds) = match unit {
        Unit::Nanoseconds => ("s", 1e-9, SECONDS),
        Unit::Milliseconds => ("s", 1e-3, SECONDS),
        Unit::Seconds => ("s", 1.0, SECONDS),
        Unit::MillisecondsPerImage => ("s/{image}", 1e-3, SECONDS),
        Unit::Tokens => ("{token}", 1.0, TOKENS),
        Unit::Bytes => ("By", 1.0, BYTES),
        Unit::Kilobytes => ("By", 1024.0, BYTES),
        Unit::Megabytes => ("By", 1e6, BYTES),
        Unit::Percent => ("%", 1.0, PERCENT),
        Unit::Ratio => ("1", 1.0, RATIO),
        Unit::Requests => ("{request}", 1.0, COUNT),
        Unit::Images => ("{image}", 1.0, COUNT),
        Unit::Count => ("1", 1.0, COUNT),
        Unit::TokensPerSecond | Unit::TokensPerSecondPerUser => ("{token}/s", 1.0, RATE),
        Unit::RequestsPerSecond => ("{request}/s", 1.0, RATE),
        Unit::ChunksPerSecond => ("{chunk}/s", 1.0, RATE),
        Unit::ImagesPerSecond => ("{image}/s", 1.0, RATE),
        Unit::Watts => ("W", 1.0, RATE),
        Unit::Joules => ("J", 1.0, RATE),
        Unit::JouleSeconds => ("J.s", 1.0, RATE),
        Unit::RequestsPerSecondPerWatt | Unit::GoodRequestsPerSecondPerWatt => ("{request}/s/W", 1.0, RATE),
        Unit::TokensPerSecondPerWatt => ("{token}/s/W", 1.0, RATE),
        Unit::MillijoulesPerToken => ("mJ/{token}", 1.0, RATE),
        Unit::JoulesPerRequest => ("J/{request}", 1.0, RATE),
        Unit::JoulesPerUser => ("J/{user}", 1.0, RATE),
        Unit::TokensPerJoule => ("{token}/J", 1.0, RATE),
        Unit::CostPerMillionTokens | Unit::CostPerThousandRequests => ("1", 1.0, RATE),
    };
    SentUnit { name, factor, bounds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_grow_and_the_conventions_are_in_ours() {
        let all = [
            OPERATION_DURATION,
            FIRST_CHUNK,
            OUTPUT_CHUNK,
            TOKEN_USAGE,
            SECONDS,
            TOKENS,
            BYTES,
            PERCENT,
            RATIO,
            COUNT,
            RATE,
        ];
        for bounds in all {
            assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]), "{bounds:?}");
        }
        let conventions = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 5.0];
        for bounds in [FIRST_CHUNK, OUTPUT_CHUNK] {
            assert!(conventions.iter().all(|bound| bounds.contains(bound)));
        }
    }
}
