//! Scenarios: what one sets by itself, and what it does not allow.

use std::borrow::Cow;
use std::time::Duration;

use aiperf_config::{
    CacheBust, DatasetConfig, DatasetSource, EndpointConfig, MarkerPlace, MarkerSide, Pace, PhaseConfig, SCENARIO,
    Scenario,
};
use serde_json::Value;

use crate::catalogue::{Arity, OptionId, OptionSpec, ValueKind};
use crate::grammar::key_value;
use crate::{ConfigError, RawOptions};

/// Scenario: locked scenarios.
pub(crate) const SCENARIO_ROWS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::Scenario,
        &["scenario"],
        ValueKind::Literal(&[SCENARIO]),
        "Benchmark scenario with locked settings.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::UnsafeOverride,
        &["unsafe-override"],
        ValueKind::Flag,
        "Only warn about settings that the scenario forbids. The results are then marked as not valid \
         for submission.",
    )
    .supported(),
];

/// Options that only a scenario has a use for, with whether they are flags.
const OF_SCENARIO: [(OptionId, bool); 8] = [
    (OptionId::UnsafeOverride, true),
    (OptionId::AllowDatasetWrap, true),
    (OptionId::TrajectoryStartMinRatio, false),
    (OptionId::TrajectoryStartMaxRatio, false),
    (OptionId::BurstPhaseStarts, true),
    (OptionId::SystemIdleGapCapSeconds, false),
    (OptionId::AgenticCacheWarmupDuration, false),
    (OptionId::AgenticWarmupGracePeriod, false),
];

/// What the scenario sets where nothing is said.
const SET: [(OptionId, &str); 6] = [
    (OptionId::Streaming, "true"),
    (OptionId::CacheBust, "first_turn_prefix"),
    (OptionId::TrajectoryStartMinRatio, "0"),
    (OptionId::TrajectoryStartMaxRatio, "1"),
    (OptionId::SystemIdleGapCapSeconds, "10"),
    (OptionId::BenchmarkDuration, "1800"),
];
const IGNORE_EOS: &str = "ignore_eos";
/// As the scenario says it where the user does not.
const IGNORED_EOS: &str = "ignore_eos:true";
const IDLE_CAP: Duration = Duration::from_secs(10);
const SHORTEST: Duration = Duration::from_secs(900);
/// The repository that a run with own settings may name.
const REPOSITORY: &str = "semianalysisai/cc-traces-weka-062126";
/// Public sets of recorded sessions without those of the agents that worked for them.
const WITHOUT_AGENTS: [&str; 2] = ["semianalysis_cc_traces_weka", "semianalysis_cc_traces_weka_no_subagents"];

/// The options, with what the scenario sets; as they are where none was named.
pub(super) fn apply(raw: &RawOptions) -> Result<Cow<'_, RawOptions>, ConfigError> {
    let id = OptionId::Scenario;
    let Some(name) = raw.text(id) else {
        for (option, is_flag) in OF_SCENARIO {
            let is_said = if is_flag { raw.flag(option)? } else { raw.is_given(option) };
            if is_said {
                let why = match option {
                    OptionId::UnsafeOverride => "it keeps settings that a scenario forbids",
                    _ => "it configures the replay of agent sessions, which only a scenario does",
                };
                return Err(raw.needs_text(option, &format!("{} {SCENARIO}", id.flag()), why));
            }
        }
        return Ok(Cow::Borrowed(raw));
    };
    if name != SCENARIO {
        return Err(raw.bad(id, name, &format!("the only scenario is {SCENARIO}")));
    }
    refuse_lists(raw)?;
    let mut set = raw.clone();
    for (option, value) in SET {
        if !raw.is_given(option) {
            // An error about it must not speak of what the user has not said.
            let spelling = format!("{} {value} (set by {})", option.flag(), id.flag());
            set.push(option, spelling, vec![value.to_owned()]);
        }
    }
    if !says_ignore_eos(raw) {
        set.add(OptionId::ExtraInputs, IGNORED_EOS);
    }
    Ok(Cow::Owned(set))
}

fn says_ignore_eos(raw: &RawOptions) -> bool {
    let mut inputs = serde_json::Map::new();
    for token in raw.tokens(OptionId::ExtraInputs) {
        // One that cannot be read is refused where it is used.
        let _ = key_value::read_into(&mut inputs, token);
    }
    inputs.contains_key(IGNORE_EOS)
}

/// A sweep is many configurations, and a scenario is one.
pub(super) fn refuse_lists(raw: &RawOptions) -> Result<(), ConfigError> {
    let is_list = |text: &String| text.split(',').filter(|piece| !piece.trim().is_empty()).count() > 1;
    let list = raw
        .given()
        .iter()
        .find(|given| matches!(given.id.spec().arity, Arity::Sweep(_)) && given.values.iter().any(is_list));
    match list {
        Some(given) => {
            let why = "a scenario allows one configuration; give one value";
            Err(raw.conflict(given.id, OptionId::Scenario, why))
        }
        None => Ok(()),
    }
}

/// What the settings come to under the scenario, and whether it allows them.
pub(super) fn check(
    typed: &RawOptions,
    raw: &RawOptions,
    endpoint: &EndpointConfig,
    dataset: &DatasetConfig,
    profiling: &PhaseConfig,
    cache_bust: CacheBust,
) -> Result<Option<Scenario>, ConfigError> {
    let Pace::AgenticReplay(replay) = &profiling.pace else { return Ok(None) };
    let mut violations = Vec::new();
    let mut forbid = |option: OptionId, got: &str, wanted: &str, why: &str| {
        violations.push(format!("{} {got}, instead of {wanted}: {why}", raw.spelling(option)));
    };
    if !endpoint.streaming {
        forbid(OptionId::Streaming, "false", "true", "each token must be timed");
    }
    let ignore_eos = endpoint.extra_inputs.get(IGNORE_EOS);
    if ignore_eos != Some(&Value::Bool(true)) {
        let got = ignore_eos.map_or_else(|| "without ignore_eos".to_owned(), |value| format!("{IGNORE_EOS}:{value}"));
        forbid(OptionId::ExtraInputs, &got, IGNORED_EOS, "responses must have their recorded lengths");
    }
    if let Some((option, got)) = unpinned(dataset) {
        let wanted = format!("a public Weka set with its agents, or {} {REPOSITORY}", OptionId::HfWekaDataset.flag());
        forbid(option, &got, &wanted, "the sessions that were sent must be known");
    }
    let marker = CacheBust::EachSession { place: MarkerPlace::FirstTurn, side: MarkerSide::Prefix };
    if cache_bust != marker {
        let why = "a repeated session must not hit its own cache entries";
        forbid(OptionId::CacheBust, cache_bust.name(), marker.name(), why);
    }
    let duration = profiling.stop.duration.unwrap_or_default();
    if duration < SHORTEST {
        let why = "shorter runs do not fill the caches";
        forbid(OptionId::BenchmarkDuration, &duration.as_secs_f64().to_string(), "at least 900", why);
    }
    for (option, why) in [
        (OptionId::IgnoreTraceDelays, "the recorded pauses are part of the load"),
        (OptionId::SynthesisMaxIsl, "long prompts are part of the load"),
        (OptionId::TraceIdleGapCapSeconds, "the recorded pauses are part of the load"),
        (OptionId::InterTurnDelayCapSeconds, "the recorded pauses are part of the load"),
    ] {
        let is_on = if option == OptionId::IgnoreTraceDelays { raw.flag(option)? } else { raw.is_given(option) };
        if is_on {
            forbid(option, raw.text(option).unwrap_or_default(), "nothing", why);
        }
    }
    for (option, got, wanted) in [
        (OptionId::TrajectoryStartMinRatio, replay.start_min, 0.0),
        (OptionId::TrajectoryStartMaxRatio, replay.start_max, 1.0),
    ] {
        if (got - wanted).abs() > f64::EPSILON {
            forbid(option, &got.to_string(), &wanted.to_string(), "sessions must start anywhere in their recording");
        }
    }
    if replay.idle_cap != Some(IDLE_CAP) {
        let got = replay.idle_cap.unwrap_or_default().as_secs_f64().to_string();
        forbid(OptionId::SystemIdleGapCapSeconds, &got, "10", "idle gaps of the whole server must be shortened alike");
    }
    let overridden = raw.flag(OptionId::UnsafeOverride)?;
    if !violations.is_empty() && !overridden {
        let violations = violations.join("\n  ");
        return Err(ConfigError::Scenario { name: SCENARIO, violations });
    }
    let set = SET.into_iter().filter(|(option, _)| !typed.is_given(*option));
    let inputs = (!says_ignore_eos(typed)).then_some((OptionId::ExtraInputs, IGNORED_EOS));
    let set = set.chain(inputs).map(|(option, value)| format!("{} {value}", option.flag())).collect();
    Ok(Some(Scenario { name: SCENARIO, overridden, violations, set }))
}

/// The option that chose data which others cannot get, and the data.
fn unpinned(dataset: &DatasetConfig) -> Option<(OptionId, String)> {
    match &dataset.source {
        DatasetSource::Public(public) => match &public.repository {
            Some(repository) => (repository != REPOSITORY).then(|| (OptionId::HfWekaDataset, repository.clone())),
            None => {
                WITHOUT_AGENTS.contains(&public.set.name).then(|| (OptionId::PublicDataset, public.set.name.to_owned()))
            }
        },
        DatasetSource::File(file) => Some((OptionId::InputFile, file.path.display().to_string())),
        DatasetSource::Synthetic(_) | DatasetSource::Accuracy(_) => None,
    }
}
