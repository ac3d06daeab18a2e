//! Output: what is written, and where to.

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};

/// Goodput: what counts as a good request.
pub(crate) const GOODPUT: &[OptionSpec] = &[OptionSpec::new(
    OptionId::Goodput,
    &["goodput"],
    ValueKind::Text,
    "SLO limits that a request must meet to count as good. Give `metric:limit` pairs in one \
         argument, such as `\"time_to_first_token:200 inter_token_latency:20\"`, in the units in which \
         the metrics are shown.",
)
.short("g")
.supported()];

/// HTTP Trace: the steps of each connection.
pub(crate) const HTTP_TRACE: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ExportHttpTrace,
        &["export-http-trace"],
        ValueKind::Flag,
        "Add the times of each connection step to the per-request records.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ShowTraceTiming,
        &["show-trace-timing"],
        ValueKind::Flag,
        "Show the connection timing metrics in the console table.",
    )
    .supported(),
];

pub(crate) const OUTPUT: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::OutputArtifactDir,
        &["output-artifact-dir", "artifact-dir"],
        ValueKind::Path,
        "Folder for all files of the run, created if missing.",
    )
    .called("artifact-dir")
    .default("artifacts/MODEL-ENDPOINT-LOAD")
    .supported(),
    OptionSpec::new(
        OptionId::Overwrite,
        &["overwrite"],
        ValueKind::Flag,
        "Delete the results of an earlier run in the artifact folder. Without it they are moved to \
         previous/ in that folder.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::ProfileExportPrefix,
        &["profile-export-prefix", "profile-export-file"],
        ValueKind::Path,
        "Prefix of the names of all exported files.",
    )
    .default("profile_export")
    .supported(),
    OptionSpec::new(
        OptionId::ExportLevel,
        &["export-level", "profile-export-level"],
        ValueKind::Choice(&["summary", "records", "raw"]),
        "What to export: totals (`summary`), also one record per request (`records`), or also all \
         request and response bodies (`raw`).",
    )
    .default("records")
    .supported(),
    OptionSpec::new(
        OptionId::SliceDuration,
        &["slice-duration"],
        ValueKind::Float,
        "Also compute the metrics for time windows of this length.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::AutoPlot,
        &["auto-plot"],
        ValueKind::Flag,
        "Draw charts into the folder `plots` when all runs have finished; a failure is a warning.",
    )
    .negative("no-auto-plot", "Do not draw plots when the run has finished.")
    .supported(),
    OptionSpec::new(
        OptionId::PlotRequired,
        &["plot-required"],
        ValueKind::Flag,
        "Draw plots when the run has finished, and fail if that is not possible.",
    )
    .supported(),
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
        "Also write the summary as GenAI-Perf does (profile_export_genai_perf.json and .csv).",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Html,
        &["html"],
        ValueKind::Flag,
        "Also write an HTML report with charts: one file, report.html, that opens without a network. \
         `aiperf report FOLDER --html` makes it later.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Strict,
        &["strict"],
        ValueKind::Text,
        "Exit with code 3 if a validity note is a warning, or has one of these codes. All files are \
         written anyway; docs/validity.md lists the codes.",
    )
    .several(Tokens::Any)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::OtelUrl,
        &["otel-url"],
        ValueKind::Text,
        "OpenTelemetry collector to send measurements to while running, over OTLP/HTTP. `http://` and `/v1/metrics` are added if \
         they are missing: `localhost:4318` is http://localhost:4318/v1/metrics.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::Stream,
        &["stream"],
        ValueKind::Text,
        "What to send to the OpenTelemetry collector: `metrics` of requests, servers and GPUs, `timing` counters of each phase, \
         `traces` (one span per request, and a `traceparent` header in each request), `default` (metrics and timing) or `none`.",
    )
    .several(Tokens::Any)
    .default("default")
    .supported(),
    OptionSpec::new(
        OptionId::OtelResourceAttributes,
        &["otel-resource-attributes"],
        ValueKind::Text,
        "`name=value` attributes that describe this run to the OpenTelemetry collector.",
    )
    .several(Tokens::Any)
    .supported(),
    OptionSpec::new(
        OptionId::GenAiProvider,
        &["gen-ai-provider"],
        ValueKind::Text,
        "Provider name (`gen_ai.provider.name`) for the generative-AI conventions of OpenTelemetry, such as `openai`.",
    )
    .default("_OTHER")
    .supported(),
    OptionSpec::new(
        OptionId::MlflowTrackingUri,
        &["mlflow-tracking-uri"],
        ValueKind::Text,
        "MLflow server to store the run in, such as `http://localhost:5000`, or a folder in the layout of MLflow's file store \
         (`file:/path`, `./mlruns`). `MLFLOW_TRACKING_USERNAME` with `MLFLOW_TRACKING_PASSWORD`, or `MLFLOW_TRACKING_TOKEN`, log in.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::MlflowExperiment,
        &["mlflow-experiment"],
        ValueKind::Text,
        "MLflow experiment to store the run under, created if missing.",
    )
    .default("aiperf")
    .supported(),
    OptionSpec::new(OptionId::MlflowRunName, &["mlflow-run-name"], ValueKind::Text, "Name of the MLflow run.")
        .default("aiperf-ID, the first 8 digits of the benchmark id")
        .supported(),
    OptionSpec::new(
        OptionId::MlflowTag,
        &["mlflow-tag"],
        ValueKind::KeyValues,
        "`name:value` tags of the MLflow run, with commas between them, or a JSON object.",
    )
    .several(Tokens::Any)
    .supported(),
    OptionSpec::new(
        OptionId::MlflowParentRunId,
        &["mlflow-parent-run-id"],
        ValueKind::Text,
        "Id of the MLflow run to nest this run under.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::MlflowArtifactGlob,
        &["mlflow-artifact-glob"],
        ValueKind::Text,
        "Files of the artifact folder to upload to MLflow, as patterns such as `*.json` or `plots/**`. `*` does not match `/`; `**` \
         matches folders.",
    )
    .several(Tokens::Any)
    .default("JSON, CSV, JSON lines, Parquet, pictures and HTML pages")
    .supported(),
    OptionSpec::new(
        OptionId::WandbProject,
        &["wandb-project"],
        ValueKind::Text,
        "Weights & Biases project of the run. aiperf writes an offline run to wandb/ in the artifact folder; `wandb sync` uploads it.",
    )
    .supported(),
    OptionSpec::new(OptionId::WandbEntity, &["wandb-entity"], ValueKind::Text, "Weights & Biases team or user.")
        .default("of the user who uploads")
        .supported(),
    OptionSpec::new(OptionId::WandbRunName, &["wandb-run-name"], ValueKind::Text, "Name of the Weights & Biases run.")
        .default("aiperf-ID, the first 8 digits of the benchmark id")
        .supported(),
    OptionSpec::new(OptionId::WandbTag, &["wandb-tag"], ValueKind::Text, "Tags of the Weights & Biases run.")
        .several(Tokens::Any)
        .supported(),
];
