//! Every kind of JSON file that the program writes, with its schema.

/// A kind of file, in the order of [`SCHEMAS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    Summary,
    Record,
    Raw,
    Inputs,
    Outputs,
    Timeslices,
    PhaseManifest,
    Ready,
    RoundTrip,
    Aggregate,
    Collated,
    Sweep,
    RunConfig,
    Comparison,
    TraceAnalysis,
    Checkpoint,
    GenaiPerfSummary,
    PerfAnalyzerRecords,
    SelfTest,
    AgenticManifest,
    AgenticQuality,
    CacheStructure,
}

/// Each schema, with its file name.
pub const SCHEMAS: [(&str, &str); 22] = [
    ("summary.schema.json", include_str!("../../../../schemas/summary.schema.json")),
    ("record.schema.json", include_str!("../../../../schemas/record.schema.json")),
    ("raw_record.schema.json", include_str!("../../../../schemas/raw_record.schema.json")),
    ("inputs.schema.json", include_str!("../../../../schemas/inputs.schema.json")),
    ("outputs.schema.json", include_str!("../../../../schemas/outputs.schema.json")),
    ("timeslices.schema.json", include_str!("../../../../schemas/timeslices.schema.json")),
    ("phase_manifest.schema.json", include_str!("../../../../schemas/phase_manifest.schema.json")),
    ("results_ready.schema.json", include_str!("../../../../schemas/results_ready.schema.json")),
    ("network_latency.schema.json", include_str!("../../../../schemas/network_latency.schema.json")),
    ("aggregate.schema.json", include_str!("../../../../schemas/aggregate.schema.json")),
    ("collated.schema.json", include_str!("../../../../schemas/collated.schema.json")),
    ("sweep.schema.json", include_str!("../../../../schemas/sweep.schema.json")),
    ("run_config.schema.json", include_str!("../../../../schemas/run_config.schema.json")),
    ("comparison.schema.json", include_str!("../../../../schemas/comparison.schema.json")),
    ("trace_analysis.schema.json", include_str!("../../../../schemas/trace_analysis.schema.json")),
    ("checkpoint.schema.json", include_str!("../../../../schemas/checkpoint.schema.json")),
    ("genai_perf_summary.schema.json", include_str!("../../../../schemas/genai_perf_summary.schema.json")),
    ("perf_analyzer_records.schema.json", include_str!("../../../../schemas/perf_analyzer_records.schema.json")),
    ("selftest.schema.json", include_str!("../../../../schemas/selftest.schema.json")),
    ("agentic_manifest.schema.json", include_str!("../../../../schemas/agentic_manifest.schema.json")),
    ("agentic_quality.schema.json", include_str!("../../../../schemas/agentic_quality.schema.json")),
    ("cache_structure.schema.json", include_str!("../../../../schemas/cache_structure.schema.json")),
];
