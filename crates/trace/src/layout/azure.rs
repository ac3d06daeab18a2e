//! `azure_trace`: Azure's public LLM inference traces, CSV with a wall-clock time, context and generated tokens. Times
//! become milliseconds since the first request.

use super::table::{CsvColumns, tokens};
use crate::{TracePrompt, TraceRequest};

const COLUMNS: [&str; 3] = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"];

pub(crate) fn columns(header: &str) -> Option<CsvColumns<3>> {
    CsvColumns::find(header, COLUMNS)
}

/// Parses a row, with its time since 1970; the error says what is wrong.
pub(crate) fn request(line: usize, content: &str, columns: &CsvColumns<3>) -> Result<TraceRequest, String> {
    let [timestamp, input, output] = columns.of(content)?;
    let time = timestamp.trim();
    let time = unix_milliseconds(time)
        .ok_or_else(|| format!("{}: a time such as 2023-11-16 18:17:03.98 is expected, not {time:?}", COLUMNS[0]))?;
    Ok(TraceRequest {
        line,
        timestamp_ms: Some(time),
        delay_ms: None,
        duration_ms: None,
        session: None,
        holds_history: false,
        prompt: TracePrompt::Length { tokens: tokens(COLUMNS[1], &input, 1)?, blocks: Vec::new() },
        output_tokens: Some(tokens(COLUMNS[2], &output, 0)?),
        extra: None,
    })
}

/// Parses `2023-11-16 18:17:03.9799600`, with any number of fraction digits, a space or `T` in the middle, and an optional
/// offset at the end (the files of 2024 have `+00:00`).
fn unix_milliseconds(text: &str) -> Option<f64> {
    let (date, time) = text.split_once([' ', 'T'])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, offset) = match time.find(['+', '-', 'Z']) {
        Some(place) => (&time[..place], offset_minutes(&time[place..])?),
        None => (time, 0),
    };
    let mut parts = time.splitn(3, ':');
    let (hour, minute): (i64, i64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let second: f64 = parts.next()?.parse().ok()?;
    let valid = (0..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0.0..61.0).contains(&second);
    if !valid {
        return None;
    }
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset;
    Some(minutes as f64 * 60e3 + second * 1e3)
}

/// Parses an offset: `+01:00`, `-0130` or `Z`.
fn offset_minutes(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'Z' => return (text.len() == 1).then_some(0),
        b'+' => 1,
        _ => -1,
    };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    let number: i64 = digits.parse().ok().filter(|_| digits.len() == 4 || digits.len() == 2)?;
    let minutes = if digits.len() == 4 { number / 100 * 60 + number % 100 } else { number * 60 };
    Some(sign * minutes)
}

/// Days since 1970 in the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`).
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wall_clock_times_are_read_in_every_form() {
        assert_eq!(unix_milliseconds("1970-01-02 00:00:01.5"), Some(86_401_500.0));
        assert_eq!(unix_milliseconds("2023-11-16 18:17:03.9799600"), Some(1_700_158_623_979.96));
        assert_eq!(unix_milliseconds("2024-05-10T00:00:00.009930+00:00"), Some(1_715_299_200_009.93));
        assert_eq!(unix_milliseconds("2024-05-10 02:00:00+02:00"), Some(1_715_299_200_000.0));
        assert_eq!(unix_milliseconds("2024-05-09 19:00:00-0500"), Some(1_715_299_200_000.0));
        for bad in [
            "",
            "2024-05-10",
            "2024-13-10 00:00:00",
            "2024-05-10 25:00:00",
            "2024-05-10 00:00:00+1",
            "9223372036854775807-01-01 00:00:00",
        ] {
            assert_eq!(unix_milliseconds(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[0-9T :.+é-]{0,30}") {
            let _ = unix_milliseconds(&text);
        }
    }
}
