//! `grpc-timeout`: how long the server may take, for it to know.

use std::time::Duration;

/// The header has room for eight digits, so that long times are given in coarser units, rounded up.
const MOST: u128 = 99_999_999;

/// The value of the header.
pub fn timeout_value(limit: Duration) -> String {
    let nanos = limit.as_nanos();
    for (unit, size) in [("n", 1), ("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000), ("M", 60_000_000_000_u128)] {
        let count = nanos.div_ceil(size);
        if count <= MOST {
            return format!("{count}{unit}");
        }
    }
    format!("{}H", nanos.div_ceil(3_600_000_000_000).min(MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_takes_the_finest_unit_that_has_room_for_it() {
        let value = |text: &str, limit| assert_eq!(timeout_value(limit), text);
        value("50000000n", Duration::from_millis(50));
        value("1500000u", Duration::from_millis(1500));
        value("21600000m", Duration::from_secs(21_600));
        value("99999999M", Duration::from_secs(60 * 99_999_999));
        value("99999999H", Duration::MAX);
    }
}
