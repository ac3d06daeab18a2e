//! Where measurements are sent: `benchmark.otel`, `benchmark.mlflow`, `benchmark.wandb`.

use aiperf_options::catalogue::OptionId;

use super::Form::{List, Own, Pairs, Scalar};
use super::{Field, OwnForm};

pub(super) const OTEL: &[Field] = &[
    Field::new("metrics_url", Scalar(OptionId::OtelUrl)),
    Field::new("stream_metrics_enabled", Own(OwnForm::Stream("metrics"))),
    Field::new("stream_timing_enabled", Own(OwnForm::Stream("timing"))),
    Field::new("stream_traces_enabled", Own(OwnForm::Stream("traces"))),
    Field::new("custom_resource_attributes", Pairs(OptionId::OtelResourceAttributes)),
    Field::new("gen_ai_provider", Scalar(OptionId::GenAiProvider)),
];

pub(super) const MLFLOW: &[Field] = &[
    Field::new("tracking_uri", Scalar(OptionId::MlflowTrackingUri)),
    Field::new("experiment", Scalar(OptionId::MlflowExperiment)),
    Field::new("run_name", Scalar(OptionId::MlflowRunName)),
    Field::new("tags", Pairs(OptionId::MlflowTag)),
    Field::new("parent_run_id", Scalar(OptionId::MlflowParentRunId)),
    Field::new("artifact_globs", List(OptionId::MlflowArtifactGlob)),
];

pub(super) const WANDB: &[Field] = &[
    Field::new("project", Scalar(OptionId::WandbProject)),
    Field::new("entity", Scalar(OptionId::WandbEntity)),
    Field::new("run_name", Scalar(OptionId::WandbRunName)),
    Field::new("tags", List(OptionId::WandbTag)),
];
