//! The options of GenAI-Perf's other commands.

use super::table::Becomes::Refused;
use super::table::Takes::{Nothing, One};
use super::table::{Flag, Rule, flag, rule};

const CHECKPOINTS: &str = "keeps the state of finished runs, and merging makes none: leave it out";

/// What `analyze` has besides.
pub(super) const ANALYZE: &[Flag] = &[
    flag(
        &["--sweep-type"],
        One,
        rule(
            Rule::SweepType,
            "the option that changes: `batch_size`, `concurrency`, `input_sequence_length`, `num_dataset_entries` or \
             `request_rate`; `concurrency` when it is left out",
        ),
    ),
    flag(
        &["--sweep-range"],
        One,
        rule(Rule::SweepRange, "`MIN:MAX`, in powers of two (entries one by one), or `MIN:MAX:STEP`, in such steps"),
    ),
    flag(&["--sweep-list"], One, rule(Rule::SweepList, "`a,b,c`: these values")),
];

/// What `config` has besides.
pub(super) const CONFIG: &[Flag] = &[
    flag(&["--file", "-f"], One, rule(Rule::ConfigFile, "the YAML file that says what to run")),
    flag(
        &["--override-config"],
        Nothing,
        rule(Rule::Override, "lets options beside the file win over it; without it there may be none"),
    ),
];

/// The options of `create-template`.
pub(super) const TEMPLATE: &[Flag] = &[
    flag(
        &["--file", "-f"],
        One,
        rule(Rule::TemplateFile, "the file to write; `genai_perf_config.yaml` when it is left out"),
    ),
    flag(&["--verbose", "-v"], Nothing, rule(Rule::Verbose, "with what each key is for")),
];

/// The options of `process-export-files`.
pub(super) const PROCESS: &[Flag] = &[
    flag(
        &["--input-directory", "-d"],
        One,
        rule(Rule::InputDirectory, "folder with the artifact folder of each run in it"),
    ),
    flag(
        &["--artifact-dir"],
        One,
        rule(Rule::Folder, "where the folder `merged` is put; `artifacts` when it is left out"),
    ),
    flag(
        &["--profile-export-file"],
        One,
        rule(Rule::ExportFile, "the start of the names of the merged files, without its end"),
    ),
    flag(&["--generate-plots"], Nothing, Refused("draws plots, which this program does not: leave it out")),
    flag(&["--enable-checkpointing"], Nothing, Refused(CHECKPOINTS)),
    flag(&["--checkpoint-dir", "--checkpoint-directory"], One, Refused(CHECKPOINTS)),
];
