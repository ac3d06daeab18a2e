//! Writes the phases of a run: what is paced how, and when sending stops.

use aiperf_config::{Config, DatasetSource};
use aiperf_options::RawOptions;
use aiperf_options::catalogue::OptionId;
use serde_json::{Map, Value, json};

use super::follows_schedule;
use super::section::Writer;
use crate::field::{PHASE, WARMUP_OPTIONS};

/// What a warmup takes over from the measured phase, if it does not say so itself.
const INHERITED: [OptionId; 4] = [
    OptionId::Concurrency,
    OptionId::PrefillConcurrency,
    OptionId::ConcurrencyRampDuration,
    OptionId::PrefillConcurrencyRampDuration,
];

/// Options that say when sending stops.
const STOPS: [OptionId; 4] =
    [OptionId::RequestCount, OptionId::ConversationNum, OptionId::BenchmarkDuration, OptionId::MeasurementInterval];

/// The warmup, if any, and the measured phase.
pub(super) fn phases(
    writer: &mut Writer<'_>,
    config: Option<&Config>,
) -> (Option<Map<String, Value>>, Map<String, Value>) {
    let warmup = warmup(writer);
    if config.is_some_and(|config| config.capacity.is_some()) {
        // The search sets the load itself, and begins with one user.
        let profiling = [("type", json!("concurrency")), ("concurrency", json!(1))];
        return (warmup, profiling.map(|(key, value)| (key.to_owned(), value)).into_iter().collect());
    }
    let options = writer.options();
    let is_scenario = options.get(OptionId::Scenario).is_some();
    let mut profiling = Map::new();
    if !is_scenario {
        profiling.insert("type".to_owned(), Value::from(kind(writer, follows_schedule(config))));
    }
    for id in [OptionId::ArrivalPattern, OptionId::FixedSchedule, OptionId::NoFixedSchedule] {
        writer.take(id);
    }
    profiling.extend(writer.section(PHASE));
    let says_when = |id: &OptionId| options.get(*id).is_some() || writer.is_swept(*id);
    let is_sweep =
        [OptionId::Concurrency, OptionId::RequestRate, OptionId::NumUsers].into_iter().any(|id| writer.is_swept(id));
    let requests = config.filter(|config| matches!(config.dataset.source, DatasetSource::Synthetic(_)));
    let requests = requests.and_then(|config| config.phases.profiling().stop.requests);
    if let Some(requests) = requests.filter(|_| !is_sweep && !is_scenario && !STOPS.iter().any(says_when)) {
        profiling.insert("requests".to_owned(), json!(requests));
    }
    (warmup, profiling)
}

/// The type of the load.
pub(super) fn kind(writer: &Writer<'_>, follows_schedule: bool) -> String {
    let options = writer.options();
    let has = |id: OptionId| options.get(id).is_some() || writer.is_swept(id);
    if follows_schedule {
        return "fixed_schedule".to_owned();
    }
    if has(OptionId::UserCentricRate) {
        return "user_centric".to_owned();
    }
    if !has(OptionId::RequestRate) && !has(OptionId::RequestRateSeries) {
        return "concurrency".to_owned();
    }
    let pattern = options.get(OptionId::ArrivalPattern).and_then(|given| given.values.first());
    let usual = if has(OptionId::ArrivalSmoothness) { "gamma" } else { "poisson" };
    pattern.map_or_else(|| usual.to_owned(), |pattern| pattern.to_ascii_lowercase())
}

/// The warmup with all that it takes over from the measured phase, which phases of files do not do.
fn warmup(writer: &Writer<'_>) -> Option<Map<String, Value>> {
    let options = writer.options();
    let mut own = RawOptions::new();
    for (of_warmup, of_any) in WARMUP_OPTIONS {
        if let Some(given) = options.get(*of_warmup) {
            own.push(*of_any, given.spelling.clone(), given.values.clone());
        }
    }
    let triggers = [OptionId::RequestCount, OptionId::BenchmarkDuration, OptionId::ConversationNum];
    if !triggers.into_iter().any(|id| own.get(id).is_some()) {
        return None;
    }
    let mut from_lists: Vec<(OptionId, &str)> = Vec::new();
    let mut inherit = |own: &mut RawOptions, id: OptionId, field: &'static str| {
        if own.get(id).is_some() {
        } else if writer.is_swept(id) {
            from_lists.push((id, field));
        } else if let Some(given) = options.get(id) {
            own.push(id, given.spelling.clone(), given.values.clone());
        }
    };
    for (id, field) in INHERITED.into_iter().zip(["concurrency", "prefillConcurrency", "", ""]) {
        inherit(&mut own, id, field);
    }
    inherit(&mut own, OptionId::RequestRate, "rate");
    let has_own_rate = own.get(OptionId::RequestRate).is_some();
    let rate_is_swept = !has_own_rate && writer.is_swept(OptionId::RequestRate);
    if has_own_rate || rate_is_swept {
        inherit(&mut own, OptionId::RequestRateRampDuration, "");
        inherit(&mut own, OptionId::ArrivalPattern, "");
        let pattern = own.get(OptionId::ArrivalPattern).and_then(|given| given.values.first().cloned());
        if pattern.is_none_or(|pattern| pattern.eq_ignore_ascii_case("gamma")) {
            inherit(&mut own, OptionId::ArrivalSmoothness, "");
        }
    }
    let has_ramp = own.given().iter().any(|given| {
        [OptionId::ConcurrencyRampDuration, OptionId::PrefillConcurrencyRampDuration, OptionId::RequestRateRampDuration]
            .contains(&given.id)
    });
    if has_ramp {
        inherit(&mut own, OptionId::RampShape, "");
    }
    let swept: Vec<OptionId> = from_lists.iter().map(|(id, _)| *id).collect();
    let mut own_writer = Writer::new(&own, &swept);
    let mut phase = Map::new();
    phase.insert("type".to_owned(), Value::from(kind(&own_writer, false)));
    own_writer.take(OptionId::ArrivalPattern);
    phase.extend(own_writer.section(PHASE));
    for (_, field) in from_lists {
        phase.insert(field.to_owned(), Value::from(format!("{{{{ profiling.{field} }}}}")));
    }
    // A warmup of the command line waits for all of its responses; a phase of a file waits for 30 seconds.
    let is_timed = own.get(OptionId::BenchmarkDuration).is_some();
    if is_timed && own.get(OptionId::BenchmarkGracePeriod).is_none() {
        phase.insert("gracePeriod".to_owned(), json!("inf"));
    }
    Some(phase)
}
