//! Files of a run: `benchmark.artifacts`.

use aiperf_options::catalogue::OptionId;

use super::Form::{Duration, Flag, Own, Scalar};
use super::{Field, OwnForm};

pub(super) const ARTIFACTS: &[Field] = &[
    Field::new("dir", Scalar(OptionId::OutputArtifactDir)),
    Field::new("prefix", Scalar(OptionId::ProfileExportPrefix)),
    Field::new("summary", Own(OwnForm::Summary)),
    Field::new("records", Own(OwnForm::Records)),
    Field::new("raw", Own(OwnForm::Raw)),
    Field::new("trace", Flag(OptionId::ExportHttpTrace)),
    Field::new("show_trace_timing", Flag(OptionId::ShowTraceTiming)),
    Field::new("slice_duration", Duration(OptionId::SliceDuration)),
    Field::new("auto_plot", Flag(OptionId::AutoPlot)),
    Field::new("plot_required", Flag(OptionId::PlotRequired)),
    Field::new("export_outputs_json", Flag(OptionId::ExportOutputsJson)),
    Field::new("user_files", Own(OwnForm::UserFiles)),
    // The reference has no fields for these.
    Field::new("overwrite", Flag(OptionId::Overwrite)),
    Field::new("export_records_parquet", Flag(OptionId::ExportRecordsParquet)),
    Field::new("export_genai_perf", Flag(OptionId::ExportGenaiPerf)),
    Field::new("html", Flag(OptionId::Html)),
    Field::new("strict", Own(OwnForm::Strict)),
];
