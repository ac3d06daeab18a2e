//! Accuracy benchmarks: which questions are asked, and how the answers are graded.

use std::sync::Arc;

use aiperf_accuracy::{AccuracyBenchmark, BenchmarkSettings};
use aiperf_config::{
    AccuracyConfig, AccuracyData, AccuracySource, EndpointConfig, Environment, GraderChoice, PhaseConfig, Phases,
    Sampling, Tuning,
};
use aiperf_protocol::BodySource;

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::groups::dataset;
use crate::{ConfigError, RawOptions};

pub(crate) const ACCURACY: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::AccuracyBenchmark,
        &["accuracy-benchmark"],
        ValueKind::Choice(&[
            "mmlu",
            "mmlu_pro",
            "aime",
            "hellaswag",
            "bigbench",
            "aime24",
            "aime25",
            "math_500",
            "gsm8k",
            "gpqa_diamond",
            "lcb_codegeneration",
        ]),
        "Ask the questions of this benchmark and grade the answers. Each question is asked once, unless --request-count or \
         --benchmark-duration ends the run before.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyTasks,
        &["accuracy-tasks"],
        ValueKind::Text,
        "Tasks of the benchmark to ask, such as subjects of mmlu.",
    )
    .list()
    .default("all")
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyNShots,
        &["accuracy-n-shots"],
        ValueKind::Int,
        "Worked examples to put before each question.",
    )
    .at_least(0.0)
    .at_most(32.0)
    .default("by benchmark")
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyEnableCot,
        &["accuracy-enable-cot"],
        ValueKind::Flag,
        "Ask for the reasoning before the answer.",
    )
    .negative("accuracy-no-enable-cot", "Do not ask for the reasoning before the answer.")
    .default("by benchmark")
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyGrader,
        &["accuracy-grader"],
        ValueKind::Choice(&[
            "exact_match",
            "math",
            "multiple_choice",
            "code_execution",
            "lighteval_expr",
            "lighteval_latex",
            "lighteval_gpqa",
            "lighteval_gsm8k",
            "mmlu_pro",
        ]),
        "How answers are graded.",
    )
    .default("by benchmark")
    .supported(),
    OptionSpec::new(
        OptionId::AccuracySystemPrompt,
        &["accuracy-system-prompt"],
        ValueKind::Text,
        "System message before each question, in place of the benchmark's own.",
    )
    .default("by benchmark")
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyVerbose,
        &["accuracy-verbose"],
        ValueKind::Flag,
        "Log the grade of each answer.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyDataDir,
        &["accuracy-data-dir"],
        ValueKind::Path,
        "Read the benchmark's data set from this folder, a copy of its repository on the Hugging Face hub. Make one with `hf \
         download --repo-type dataset NAME --local-dir FOLDER`.",
    )
    .default("the hub and its cache")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyRevision,
        &["accuracy-revision"],
        ValueKind::Text,
        "Branch or commit of the benchmark's data set on the Hugging Face hub. The summary has the commit that was used.",
    )
    .default("main")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::AccuracyAllowCodeExecution,
        &["accuracy-allow-code-execution"],
        ValueKind::Flag,
        "Allow the grader code_execution to run the programs that the model writes. They run in a sandbox after the last \
         request.",
    )
    .ours()
    .supported(),
];

/// Options that put something into the prompts or the limits, which belong to the benchmark.
const PROMPT_OPTIONS: [OptionId; 6] = [
    OptionId::SystemPrompt,
    OptionId::SystemPromptFile,
    OptionId::SharedSystemPromptLength,
    OptionId::UserContextPromptLength,
    OptionId::CacheBust,
    OptionId::PromptOutputTokensMean,
];

/// The questions to ask, if a benchmark is named.
pub(crate) fn source(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    tuning: &Tuning,
    sampling: Sampling,
    warnings: &mut Vec<String>,
) -> Result<Option<AccuracySource>, ConfigError> {
    let id = OptionId::AccuracyBenchmark;
    let Some(benchmark) = benchmark(raw)? else { return refuse_without_benchmark(raw).map(|()| None) };
    let facts = benchmark.facts();
    dataset::refuse_next_to_questions(raw)?;
    if let Some(other) = PROMPT_OPTIONS.into_iter().find(|other| raw.is_given(*other)) {
        let why = match other {
            OptionId::PromptOutputTokensMean => {
                "the benchmark limits its answers; use --extra-inputs max_completion_tokens:N for another limit"
            }
            OptionId::SystemPrompt | OptionId::SystemPromptFile => {
                "the benchmark has its own; use --accuracy-system-prompt to replace it"
            }
            _ => "it would change the prompts of the benchmark",
        };
        return Err(raw.conflict(other, id, why));
    }
    if sampling != Sampling::Sequential {
        let why = "the questions are asked in their order, each of them once";
        return Err(raw.conflict(OptionId::DatasetSamplingStrategy, id, why));
    }
    let endpoint_facts = endpoint.kind.facts();
    let answers_text = endpoint_facts.produces_tokens && endpoint_facts.tokenizes_input;
    if !answers_text || endpoint_facts.needs.is_some() || endpoint_facts.body == BodySource::Dataset {
        let why = format!("the {} endpoint does not answer questions with text", endpoint_facts.name);
        return Err(raw.needs_text(id, "--endpoint-type chat or completions", &why));
    }
    let effectless = |other: OptionId, what: &str| {
        format!("{} has no effect: the benchmark {} has {what}", raw.spelling(other), facts.name)
    };
    let is_code = benchmark == AccuracyBenchmark::LcbCodeGeneration;
    let mut shots = raw.int(OptionId::AccuracyNShots)?;
    if shots.is_some_and(|shots| shots > 0) && facts.max_shots == 0 && !is_code {
        warnings.push(effectless(OptionId::AccuracyNShots, "no worked examples"));
        shots = None;
    }
    let cot_id = OptionId::AccuracyEnableCot;
    let mut chain_of_thought = if raw.is_given(cot_id) { Some(raw.flag(cot_id)?) } else { None };
    if chain_of_thought.is_some_and(|asked| asked != facts.chain_of_thought) && !benchmark.has_both_forms() && !is_code
    {
        warnings.push(effectless(cot_id, "only one form"));
        chain_of_thought = None;
    }
    let tasks: Vec<String> = raw.list(OptionId::AccuracyTasks).into_iter().map(str::to_owned).collect();
    if !tasks.is_empty() && tasks != ["all"] && !benchmark.has_tasks() {
        warnings.push(effectless(OptionId::AccuracyTasks, "one task"));
    }
    let own_prompt = raw.text(OptionId::AccuracySystemPrompt).or(facts.system_prompt);
    let settings = BenchmarkSettings {
        tasks,
        shots: shots.unwrap_or(facts.shots),
        chain_of_thought: chain_of_thought.unwrap_or(facts.chain_of_thought),
        release: is_code.then(|| tuning.lcb_release.clone()),
    };
    Ok(Some(AccuracySource {
        benchmark,
        settings,
        system_prompt: own_prompt.filter(|text| !text.is_empty()).map(Arc::from),
        data: data(raw, environment)?,
        entries: entries(raw)?,
        takes_messages: endpoint_facts.has_system_role,
    }))
}

/// How answers are graded, if a benchmark is named.
pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    tuning: &Tuning,
    phases: &Phases,
) -> Result<Option<AccuracyConfig>, ConfigError> {
    let id = OptionId::AccuracyBenchmark;
    let Some(benchmark) = benchmark(raw)? else { return Ok(None) };
    if phases.iter().filter(|phase: &&PhaseConfig| phase.is_measured()).count() > 1 {
        let why = "each question is asked once; give the other phases `exclude_from_results: true`";
        return Err(raw.needs_text(id, "one profiling phase in the results", why));
    }
    Ok(Some(AccuracyConfig {
        benchmark,
        grader: grader(raw, environment, benchmark, tuning)?,
        verbose: raw.flag(OptionId::AccuracyVerbose)?,
        cancel_wait: tuning.accuracy_cancel_wait,
    }))
}

fn benchmark(raw: &RawOptions) -> Result<Option<AccuracyBenchmark>, ConfigError> {
    let Some(name) = raw.choice(OptionId::AccuracyBenchmark)? else { return Ok(None) };
    let parsed = name.parse().map_err(|_| raw.bad(OptionId::AccuracyBenchmark, name, "is not a benchmark"));
    parsed.map(Some)
}

fn grader(
    raw: &RawOptions,
    environment: &Environment,
    benchmark: AccuracyBenchmark,
    tuning: &Tuning,
) -> Result<GraderChoice, ConfigError> {
    let id = OptionId::AccuracyGrader;
    let own = benchmark.facts().grader;
    if let Some(grader) = raw.text(id).and_then(|name| environment.extensions.grader(name)) {
        return Ok(GraderChoice::Plugin(grader.clone()));
    }
    let name = raw.choice(id)?.unwrap_or(own);
    let (runs, has_programs) = (name == GraderChoice::CODE_EXECUTION, own == GraderChoice::CODE_EXECUTION);
    if runs != has_programs {
        let why = if runs { "it runs programs, and the answers are texts" } else { "its answers are programs" };
        return Err(raw.conflict(
            if runs { id } else { OptionId::AccuracyBenchmark },
            if runs { OptionId::AccuracyBenchmark } else { id },
            why,
        ));
    }
    let allow = OptionId::AccuracyAllowCodeExecution;
    let is_allowed = raw.flag(allow)?;
    match name.parse() {
        Ok(grader) => Ok(GraderChoice::Text(grader)),
        Err(_) if !is_allowed => {
            let why = "its grader runs programs that the model wrote. They run in a sandbox without network and files, which needs Linux";
            Err(raw.needs(OptionId::AccuracyBenchmark, allow, why))
        }
        Err(_) => Ok(GraderChoice::CodeExecution { longest: tuning.lcb_grade_timeout }),
    }
}

fn data(raw: &RawOptions, environment: &Environment) -> Result<AccuracyData, ConfigError> {
    let (folder_id, revision_id) = (OptionId::AccuracyDataDir, OptionId::AccuracyRevision);
    let Some(text) = raw.text(folder_id) else {
        let revision = raw.text(revision_id).unwrap_or("main").to_owned();
        return Ok(AccuracyData::Hub { revision });
    };
    if raw.is_given(revision_id) {
        return Err(raw.conflict(
            revision_id,
            folder_id,
            "it names a version on the hub, and the data comes from a folder",
        ));
    }
    let folder = environment.current_dir.join(text);
    if text.is_empty() || !folder.is_dir() {
        let reason = "no such folder".to_owned();
        return Err(ConfigError::Unreadable { flag: raw.spelling(folder_id), path: text.to_owned(), reason });
    }
    Ok(AccuracyData::Folder(folder))
}

/// The most questions that can be asked. Only these are read, so that a warmup does not change which questions are graded.
fn entries(raw: &RawOptions) -> Result<Option<usize>, ConfigError> {
    let limits = [OptionId::NumDatasetEntries, OptionId::RequestCount, OptionId::ConversationNum];
    let limits = limits.into_iter().map(|id| raw.int::<usize>(id)).collect::<Result<Vec<_>, _>>()?;
    Ok(limits.into_iter().flatten().min())
}

/// No other accuracy option means anything without a benchmark.
fn refuse_without_benchmark(raw: &RawOptions) -> Result<(), ConfigError> {
    let id = OptionId::AccuracyBenchmark;
    let others = ACCURACY.iter().map(|spec| spec.id).filter(|other| *other != id);
    let given: Vec<String> = others.filter(|other| raw.is_given(*other)).map(|other| raw.spelling(other)).collect();
    if given.is_empty() {
        return Ok(());
    }
    let why = format!("choose one of {}", id.spec().members().join(", "));
    Err(ConfigError::Needs { flag: given.join(", "), needs: id.flag(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_and_grader_of_the_catalogue_is_known() {
        let names = OptionId::AccuracyBenchmark.spec().members();
        assert_eq!(names.len(), AccuracyBenchmark::ALL.len());
        assert!(names.iter().all(|name| name.parse::<AccuracyBenchmark>().is_ok()));
        let text = |name: &&&str| name.parse::<aiperf_grading::Grader>().is_ok();
        let others: Vec<_> = OptionId::AccuracyGrader.spec().members().iter().filter(|name| !text(name)).collect();
        assert_eq!(others, [&GraderChoice::CODE_EXECUTION]);
    }
}
