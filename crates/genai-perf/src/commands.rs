//! The options of GenAI-Perf's other commands.

use crate::table::Becomes::Refused;
use crate::table::Takes::{Nothing, One};
use crate::table::{FlagRule, GenaiPerfFlag, flag, rule};

const CHECKPOINTS: &str = "saves the state of finished runs, and merging makes no run: leave it out";

/// What `analyze` has besides.
pub(crate) const ANALYZE: &[GenaiPerfFlag] = &[
    flag(
        &["--sweep-type"],
        One,
        rule(
            FlagRule::SweepType,
            "the setting to vary: `batch_size`, `concurrency`, `input_sequence_length`, `num_dataset_entries` or \
             `request_rate`; `concurrency` when it is left out",
        ),
    ),
    flag(
        &["--sweep-range"],
        One,
        rule(
            FlagRule::SweepRange,
            "`MIN:MAX` in powers of two (`num_dataset_entries`: every value), or `MIN:MAX:STEP`",
        ),
    ),
    flag(&["--sweep-list"], One, rule(FlagRule::SweepList, "the values, as `a,b,c`")),
];

/// What `config` has besides.
pub(crate) const CONFIG: &[GenaiPerfFlag] = &[
    flag(&["--file", "-f"], One, rule(FlagRule::ConfigFile, "the YAML file to run")),
    flag(
        &["--override-config"],
        Nothing,
        rule(
            FlagRule::Override,
            "allow options that override the file; without it the command line may have no others",
        ),
    ),
];

/// The options of `create-template`.
pub(crate) const TEMPLATE: &[GenaiPerfFlag] = &[
    flag(&["--file", "-f"], One, rule(FlagRule::TemplateFile, "the file to write; default `genai_perf_config.yaml`")),
    flag(&["--verbose", "-v"], Nothing, rule(FlagRule::Verbose, "add a comment that explains each key")),
];

/// The options of `process-export-files`.
pub(crate) const PROCESS: &[GenaiPerfFlag] = &[
    flag(
        &["--input-directory", "-d"],
        One,
        rule(FlagRule::InputDirectory, "folder that contains the artifact folder of each run"),
    ),
    flag(&["--artifact-dir"], One, rule(FlagRule::Folder, "folder for the folder `merged`; default `artifacts`")),
    flag(
        &["--profile-export-file"],
        One,
        rule(FlagRule::ExportFile, "prefix of the names of the merged files; an extension is removed"),
    ),
    flag(&["--generate-plots"], Nothing, Refused("draws plots, which aiperf does not: leave it out")),
    flag(&["--enable-checkpointing"], Nothing, Refused(CHECKPOINTS)),
    flag(&["--checkpoint-dir", "--checkpoint-directory"], One, Refused(CHECKPOINTS)),
];
