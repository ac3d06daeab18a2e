//! The command of a process plugin, and its limits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aiperf_config::ProcessCommand;
use aiperf_config_file::FileError;

use super::field::{Checked, Field, Form, field, required};

pub(super) const FIELDS: &[Field] = &[
    field("description", Form::Text, "What the entry is for, in one line."),
    required("process", Form::Map(PROCESS), "Program that speaks JSON Lines over stdin and stdout."),
];

pub(super) const PROCESS: &[Field] = &[
    required("command", Form::Texts, "Program and its arguments. A file next to the pack is found by its name."),
    field("timeout_seconds", Form::Seconds, "Time limit for each answer. Default: 30."),
    field("max_line_bytes", Form::Count, "Longest line that is read. Default: 16777216 (16 MiB)."),
    field("max_output_mb", Form::Count, "Most that the program may write in one run, in MiB. Default: 1024."),
    field("max_memory_mb", Form::Count, "Limit of the program's address space in MiB (Linux). Default: 4096."),
    field("restarts", Form::Count, "How often a program that ended is started again. Default: 1."),
];

pub(super) fn read(entry: &Checked<'_>, folder: &Path) -> Result<ProcessCommand, FileError> {
    let Some(process) = entry.map("process") else { return Err(entry.problem("process", "must be a map")) };
    let command = process.texts("command");
    let Some((program, arguments)) = command.split_first() else {
        return Err(process.problem("command", "needs the name of a program"));
    };
    let next_to_pack = folder.join(program);
    Ok(ProcessCommand {
        program: if next_to_pack.is_file() { next_to_pack } else { PathBuf::from(program) },
        arguments: arguments.to_vec(),
        folder: folder.to_owned(),
        timeout: Duration::from_secs_f64(process.seconds("timeout_seconds").unwrap_or(30.0).min(86_400.0)),
        max_line_bytes: process.count("max_line_bytes").unwrap_or(16 << 20),
        max_output_mb: process.count("max_output_mb").unwrap_or(1024),
        max_memory_mb: process.count("max_memory_mb").unwrap_or(4096),
        restarts: process.count("restarts").unwrap_or(1),
    })
}
