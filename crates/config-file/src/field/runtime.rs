//! How the program itself runs: `benchmark.runtime`, `benchmark.logging`, `benchmark.accuracy`.

use aiperf_options::catalogue::OptionId;

use super::Field;
use super::Form::{Duration, Flag, List, Refused, Scalar, WithoutEffect};

pub(super) const RUNTIME: &[Field] = &[
    Field::new("ui", Scalar(OptionId::UiType)),
    Field::new("quiet", Flag(OptionId::Quiet)),
    Field::new("json", Flag(OptionId::Json)),
    Field::new("workers", Scalar(OptionId::WorkersMax)),
    Field::new("workers_min", WithoutEffect("workers are threads that start at once, so a minimum changes nothing")),
    Field::new("record_processors", Scalar(OptionId::RecordProcessorServiceCount)),
    Field::new("api_port", Scalar(OptionId::ApiPort)),
    Field::new("api_host", Scalar(OptionId::ApiHost)),
    Field::new("api_token", Scalar(OptionId::ApiToken)),
    Field::new("api_linger", Duration(OptionId::ApiLinger)),
    Field::new("stats_interval", Duration(OptionId::StatsInterval)),
    Field::new("unreachable_timeout", Duration(OptionId::UnreachableTimeout)),
    Field::new("node_index", Scalar(OptionId::NodeIndex)),
    Field::new("node_count", Scalar(OptionId::NodeCount)),
    Field::new("start_at", Scalar(OptionId::StartAt)),
    Field::new("cost_per_gpu_hour", Scalar(OptionId::CostPerGpuHour)),
    Field::new("gpus", Scalar(OptionId::Gpus)),
    Field::new("communication", WithoutEffect("threads of one process do not send messages to each other")),
    Field::new("service_run_type", WithoutEffect("one process does all the work")),
    Field::new("workers_per_pod", Refused("it belongs to runs on a cluster")),
    Field::new("record_processors_per_pod", Refused("it belongs to runs on a cluster")),
    Field::new("dataset_api_base_url", Refused("it belongs to runs on a cluster")),
];

pub(super) const LOGGING: &[Field] = &[
    Field::new("level", Scalar(OptionId::LogLevel)),
    // The reference has no fields for these.
    Field::new("verbose", Flag(OptionId::Verbose)),
    Field::new("extra_verbose", Flag(OptionId::ExtraVerbose)),
];

pub(super) const ACCURACY: &[Field] = &[
    Field::new("benchmark", Scalar(OptionId::AccuracyBenchmark)),
    Field::new("tasks", List(OptionId::AccuracyTasks)),
    Field::new("n_shots", Scalar(OptionId::AccuracyNShots)),
    Field::new("enable_cot", Flag(OptionId::AccuracyEnableCot)),
    Field::new("grader", Scalar(OptionId::AccuracyGrader)),
    Field::new("system_prompt", Scalar(OptionId::AccuracySystemPrompt)),
    Field::new("verbose", Flag(OptionId::AccuracyVerbose)),
    // The reference has no fields for these.
    Field::new("data_dir", Scalar(OptionId::AccuracyDataDir)),
    Field::new("revision", Scalar(OptionId::AccuracyRevision)),
    Field::new("allow_code_execution", Flag(OptionId::AccuracyAllowCodeExecution)),
];
