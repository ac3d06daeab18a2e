//! The options of GenAI-Perf's other commands.

use crate::table::Becomes::Refused;
use crate::table::Takes::{Nothing, One};
use crate::table::{FlagRule, GenaiPerfFlag, flag, rule};

const CHECKPOINTS: &str = "keeps the state of finished runs, and merging makes none: leave it out";

/// What `analyze` has besides.
pub(crate) const ANALYZE: &[GenaiPerfFlag] = &[
    flag(
        &["--sweep-type"],
        One,
        rule(
            FlagRule::SweepType,
            "the option that changes: `batch_size`, `concurrency`, `input_sequence_length`, `num_dataset_entries` or \
             `request_rate`; `concurrency` when it is left out",
        ),
    ),
    flag(
        &["--sweep-range"],
        One,
        rule(
            FlagRule::SweepRange,
            "`MIN:MAX`, in powers of two (entries one by one), or `MIN:MAX:STEP`, in such steps",
        ),
    ),
    flag(&["--sweep-list"], One, rule(FlagRule::SweepList, "`a,b,c`: these values")),
];

/// What `config` has besides.
pub(crate) const CONFIG: &[GenaiPerfFlag] = &[
    flag(&["--file", "-f"], One, rule(FlagRule::ConfigFile, "the YAML file that says what to run")),
    flag(
        &["--override-config"],
        Nothing,
        rule(FlagRule::Override, "lets options beside the file win over it; without it there may be none"),
    ),
];

/// The options of `create-template`.
pub(crate) const TEMPLATE: &[GenaiPerfFlag] = &[
    flag(
        &["--file", "-f"],
        One,
        rule(FlagRule::TemplateFile, "the file to write; `genai_perf_config.yaml` when it is left out"),
    ),
    flag(&["--verbose", "-v"], Nothing, rule(FlagRule::Verbose, "with what each key is for")),
];

/// The options of `process-export-files`.
pub(crate) const PROCESS: &[GenaiPerfFlag] = &[
    flag(
        &["--input-directory", "-d"],
        One,
        rule(FlagRule::InputDirectory, "folder with the artifact folder of each run in it"),
    ),
    flag(
        &["--artifact-dir"],
        One,
        rule(FlagRule::Folder, "where the folder `merged` is put; `artifacts` when it is left out"),
    ),
    flag(
        &["--profile-export-file"],
        One,
        rule(FlagRule::ExportFile, "the start of the names of the merged files, without its end"),
    ),
    flag(&["--generate-plots"], Nothing, Refused("draws plots, which this program does not: leave it out")),
    flag(&["--enable-checkpointing"], Nothing, Refused(CHECKPOINTS)),
    flag(&["--checkpoint-dir", "--checkpoint-directory"], One, Refused(CHECKPOINTS)),
];
