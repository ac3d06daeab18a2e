//! The text of the note about a load that no self-test covers.

use aiperf_metrics::{ClientLoad, LoadAxis};

use super::Wording;
use aiperf_table::{grouped, whole};

pub(super) fn beyond(axis: LoadAxis, reached: &ClientLoad, certified: &ClientLoad) -> Wording {
    let (most, shown) = (reached.on(axis).round() as u64, certified.on(axis).round() as u64);
    let (seen, known) = match axis {
        LoadAxis::InFlight => (format!("{} requests in flight", whole(most)), whole(shown)),
        LoadAxis::ChunkRate => (format!("{} chunks/s", whole(most)), whole(shown)),
        LoadAxis::RequestRate => (format!("{} requests/s", grouped(reached.on(axis))), grouped(certified.on(axis))),
    };
    Wording::new(
        format!(
            "The load exceeded the certified load of this machine's client: {seen}, certified {known}. The accuracy of its \
             times at this load is unknown."
        ),
        format!("Certify this load: aiperf selftest {}.", command(axis, reached)),
    )
}

/// The options of a self-test that would cover the load.
fn command(axis: LoadAxis, reached: &ClientLoad) -> String {
    let streams = reached.in_flight.max(1);
    // With one chunk a token, as the simulator sends them.
    let per_stream = (reached.chunks_per_second / streams as f64).ceil().max(1.0);
    match axis {
        LoadAxis::InFlight => format!("--streams {streams}"),
        LoadAxis::ChunkRate => format!("--streams {streams} --tokens-per-second {per_stream}"),
        LoadAxis::RequestRate => {
            let chunks = (reached.chunks_per_second / reached.requests_per_second).ceil().max(2.0);
            format!("--request-rate {} --osl {chunks}", reached.requests_per_second.ceil())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_of_going_beyond_names_its_figures_and_the_test_that_would_cover_it() {
        let certified = ClientLoad { in_flight: 100, chunks_per_second: 9_000.0, requests_per_second: 90.0 };
        let reached = ClientLoad { in_flight: 250, chunks_per_second: 25_000.4, requests_per_second: 2_500.2 };
        for (axis, figures, advice) in [
            (LoadAxis::InFlight, "250 requests in flight, certified 100.", "aiperf selftest --streams 250."),
            (LoadAxis::ChunkRate, "25,000 chunks/s, certified 9,000.", "--streams 250 --tokens-per-second 101."),
            (LoadAxis::RequestRate, "2,500.20 requests/s, certified 90.00.", "--request-rate 2501 --osl 10."),
        ] {
            let Wording { statement, advice: said } = beyond(axis, &reached, &certified);
            assert!(statement.contains(figures), "{statement}");
            assert!(said.ends_with(advice), "{said}");
        }
    }
}
