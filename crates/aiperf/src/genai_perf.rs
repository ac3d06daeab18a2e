//! The command line of GenAI-Perf: `aiperf genai-perf profile ...`, or this program under the name `genai-perf`. Its words become
//! those of `aiperf profile`; what cannot is refused by name.

mod endpoint;
mod given;
mod help;
mod input_file;
mod merge;
mod record_file;
mod refusal;
mod rows;
mod table;
#[cfg(test)]
mod tests;
mod translate;

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use given::Asked;
use merge::Merge;
pub(crate) use record_file::RecordFile;
pub(crate) use refusal::Refusal;

/// The name of the command, and of the program where it is called so.
pub(crate) const NAME: &str = "genai-perf";

/// What a command line of GenAI-Perf asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// The command line of ours that does the same, program name included.
    Run(Vec<OsString>),
    /// Several runs as one.
    Merge(Merge),
    /// Help or version, for stdout.
    Text(String),
}

/// The words that are GenAI-Perf's, if this is a command line of it.
pub(crate) fn words_of(args: &[OsString]) -> Option<&[OsString]> {
    let called = args.first().and_then(|program| Path::new(program).file_stem());
    if called.is_some_and(|name| name == NAME) {
        return args.get(1..);
    }
    args.get(1).filter(|command| *command == NAME).and_then(|_| args.get(2..))
}

/// Reads the words after the name of the program. Input rows that need another shape are written into the run's folder.
pub(crate) fn read(words: &[OsString], current_dir: &Path) -> Result<Request, Refusal> {
    let text =
        |word: &OsString| word.to_str().map(str::to_owned).ok_or(Refusal::NotText(word.to_string_lossy().into()));
    let words = words.iter().map(text).collect::<Result<Vec<String>, Refusal>>()?;
    let (own, passed) = match words.iter().position(|word| word == "--") {
        Some(place) => (&words[..place], &words[place + 1..]),
        None => (&words[..], &[][..]),
    };
    if own.iter().any(|word| ["--help", "-h"].contains(&word.as_str())) {
        return Ok(Request::Text(help::page()));
    }
    let (command, options) = own.split_first().ok_or(Refusal::NoCommand)?;
    match command.as_str() {
        "--version" => return Ok(Request::Text(format!("{}\n", env!("CARGO_PKG_VERSION")))),
        "profile" => {}
        "process-export-files" => return merge(options, passed, current_dir).map(Request::Merge),
        name => {
            let known = table::COMMANDS.into_iter().find(|(known, _)| *known == name);
            return Err(match known {
                Some((name, instead)) => Refusal::Command { name, instead },
                None => Refusal::UnknownCommand(name.to_owned()),
            });
        }
    }
    let mut asked = Asked::default();
    asked.read(options, table::PROFILE, "genai-perf profile")?;
    asked.read(passed, table::PERF_ANALYZER, "perf_analyzer that can stand behind `--`")?;
    let translation = translate::translate(&asked, current_dir)?;
    if let Some((path, rows)) = translation.rows {
        write(&current_dir.join(&path), &rows).map_err(|error| Refusal::File { path, problem: error.to_string() })?;
    }
    let words = ["aiperf", "profile"].into_iter().map(str::to_owned).chain(translation.words);
    Ok(Request::Run(words.map(OsString::from).collect()))
}

fn merge(options: &[String], passed: &[String], current_dir: &Path) -> Result<Merge, Refusal> {
    if let Some(word) = passed.first() {
        return Err(Refusal::StrayWord(word.clone()));
    }
    let mut asked = Asked::default();
    asked.read(options, table::PROCESS, "genai-perf process-export-files")?;
    let needed = "--input-directory";
    let input = asked.text(table::Rule::InputDirectory);
    let input = input.ok_or(Refusal::Needs { flag: "genai-perf process-export-files".to_owned(), needed })?;
    let parent = asked.text(table::Rule::Folder).unwrap_or("artifacts");
    Ok(Merge {
        input: current_dir.join(input),
        output: current_dir.join(parent).join(merge::MERGED),
        prefix: translate::prefix(&asked)?,
    })
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
