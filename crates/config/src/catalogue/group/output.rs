//! Output: what is written, and where to.

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::OutputArtifactDir,
        &["output-artifact-dir", "artifact-dir"],
        ValueKind::Path,
        "Folder for all files of the run, made when missing.",
    )
    .called("artifact-dir")
    .default("artifacts/MODEL-ENDPOINT-LOAD")
    .supported(),
    OptionSpec::new(
        OptionId::ProfileExportPrefix,
        &["profile-export-prefix", "profile-export-file"],
        ValueKind::Path,
        "Start of the names of all exported files.",
    )
    .default("profile_export")
    .supported(),
    OptionSpec::new(
        OptionId::ExportLevel,
        &["export-level", "profile-export-level"],
        ValueKind::Choice(&["summary", "records", "raw"]),
        "How much is written: totals, also a record per request, or also every request and response body.",
    )
    .default("records")
    .supported(),
    OptionSpec::new(
        OptionId::SliceDuration,
        &["slice-duration"],
        ValueKind::Float,
        "Also compute the metrics for windows of this length.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(OptionId::AutoPlot, &["auto-plot"], ValueKind::Flag, "Draw the plots when the run is over.")
        .negative("no-auto-plot")
        .default("as the search recipe says")
        .ignored("plots are not drawn yet"),
    OptionSpec::new(
        OptionId::PlotRequired,
        &["plot-required"],
        ValueKind::Flag,
        "Fail when the plots cannot be drawn.",
    ),
    OptionSpec::new(
        OptionId::ExportOutputsJson,
        &["export-outputs-json"],
        ValueKind::Flag,
        "Write the generated texts to outputs.json.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ExportRecordsParquet,
        &["export-records-parquet"],
        ValueKind::Flag,
        "Also write the per-request records as a Parquet table.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::ExportGenaiPerf,
        &["export-genai-perf"],
        ValueKind::Flag,
        "Also write the summary under the names and in the shape of GenAI-Perf (profile_export_genai_perf.json, .csv).",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Strict,
        &["strict"],
        ValueKind::Text,
        "End with exit code 3 when the summary has a validity note of severity warning, or one of the codes given here \
         (docs/validity.md lists them). All files are written as always.",
    )
    .several(Tokens::Any)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::OtelUrl,
        &["otel-url"],
        ValueKind::Text,
        "OpenTelemetry collector to send metrics to while running.",
    ),
    OptionSpec::new(OptionId::Stream, &["stream"], ValueKind::Text, "What to send to the collector.")
        .several(Tokens::Any)
        .default("default"),
    OptionSpec::new(
        OptionId::OtelResourceAttributes,
        &["otel-resource-attributes"],
        ValueKind::Text,
        "`name=value` attributes that describe this run to the collector.",
    )
    .several(Tokens::Any),
    OptionSpec::new(
        OptionId::GenAiProvider,
        &["gen-ai-provider"],
        ValueKind::Text,
        "Provider name for the collector's generative-AI conventions.",
    ),
    OptionSpec::new(
        OptionId::MlflowTrackingUri,
        &["mlflow-tracking-uri"],
        ValueKind::Text,
        "MLflow server to store the run in.",
    ),
    OptionSpec::new(
        OptionId::MlflowExperiment,
        &["mlflow-experiment"],
        ValueKind::Text,
        "MLflow experiment to store the run under.",
    )
    .default("aiperf"),
    OptionSpec::new(OptionId::MlflowRunName, &["mlflow-run-name"], ValueKind::Text, "Name of the MLflow run."),
    OptionSpec::new(OptionId::MlflowTag, &["mlflow-tag"], ValueKind::KeyValues, "`name:value` tag of the MLflow run.")
        .several(Tokens::Any),
    OptionSpec::new(
        OptionId::MlflowParentRunId,
        &["mlflow-parent-run-id"],
        ValueKind::Text,
        "MLflow run that this one belongs to.",
    ),
    OptionSpec::new(
        OptionId::MlflowArtifactGlob,
        &["mlflow-artifact-glob"],
        ValueKind::Text,
        "Files to upload to MLflow.",
    )
    .several(Tokens::Any)
    .default("data files, pictures, pages"),
    OptionSpec::new(
        OptionId::WandbProject,
        &["wandb-project"],
        ValueKind::Text,
        "Weights & Biases project to store the run in.",
    ),
    OptionSpec::new(OptionId::WandbEntity, &["wandb-entity"], ValueKind::Text, "Weights & Biases team or user."),
    OptionSpec::new(OptionId::WandbRunName, &["wandb-run-name"], ValueKind::Text, "Name of the Weights & Biases run."),
    OptionSpec::new(OptionId::WandbTag, &["wandb-tag"], ValueKind::Text, "Tag of the Weights & Biases run.")
        .several(Tokens::Any),
];
