//! `aiperf init`: asks for the server, the model and the goal, and prints the command to run. Questions go to stderr, so that
//! stdout has the command only.

mod goal;
mod questions;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use aiperf_config::{Config, Environment};
use aiperf_options::{RawOptions, shell_word};

use self::questions::Questions;
use crate::cli::InitInvocation;

pub(crate) use self::goal::Goal;

const DEFAULT_URL: &str = "http://localhost:8000";
/// The simulator names its model itself.
const SIMULATOR: &str = "sim:";
/// Most characters of a line of the command.
const COLUMNS: usize = 100;

pub(crate) fn run(asked: &InitInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    let list = |config: &Config| environment.listed_models.map_or_else(|| Ok(Vec::new()), |list| list(config));
    let mut questions = Questions { input: io::stdin().lock(), output: io::stderr() };
    let command = command(asked, environment, &mut questions, &list)?;
    crate::print(command.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn command<R: BufRead, W: Write>(
    asked: &InitInvocation,
    environment: &Environment,
    questions: &mut Questions<R, W>,
    list: &dyn Fn(&Config) -> Result<Vec<String>, String>,
) -> anyhow::Result<String> {
    let resolve = |url: &str| -> Result<(String, Config), String> {
        let config = RawOptions::of_pairs(&[("url", url), ("model", "model")]).and_then(|raw| raw.resolve(environment));
        config.map(|config| (url.to_owned(), config)).map_err(|error| error.to_string())
    };
    let (url, config) = match &asked.url {
        Some(url) => resolve(url).map_err(anyhow::Error::msg)?,
        None => questions.ask("Server URL (sim: for the simulator)", Some(DEFAULT_URL), "--url", resolve)?,
    };
    let model = match &asked.model {
        Some(model) => Some(model.clone()),
        None if url.starts_with(SIMULATOR) => None,
        None => Some(choose_model(&url, list(&config), questions)?),
    };
    let goal = match asked.goal {
        Some(goal) => goal,
        None => choose_goal(questions)?,
    };
    questions.say(&format!("\n{} {}", goal.question(), goal.advice()))?;
    let mut words = vec!["aiperf", "profile", "--url", &url];
    words.extend(model.iter().flat_map(|model| ["--model", model]));
    words.extend(["--streaming", "--isl", "512", "--osl", "128"]);
    words.extend(goal.options());
    Ok(wrapped(&words))
}

fn choose_model<R: BufRead, W: Write>(
    url: &str,
    listed: Result<Vec<String>, String>,
    questions: &mut Questions<R, W>,
) -> anyhow::Result<String> {
    let shown = aiperf_redact::shown_url(url);
    let models = match listed {
        Ok(models) => models,
        Err(reason) => {
            questions.say(&format!("{shown} cannot be asked for its models: {reason}"))?;
            Vec::new()
        }
    };
    match models.as_slice() {
        [] => questions.ask("Model name", None, "--model", |name| Ok(name.to_owned())),
        [only] => {
            questions.say(&format!("Model: {only}, the only one that {shown} lists"))?;
            Ok(only.clone())
        }
        [first, ..] => {
            questions.say(&format!("Models of {shown}:"))?;
            for (number, model) in (1..).zip(&models) {
                questions.say(&format!("  {number}) {model}"))?;
            }
            let read = |answer: &str| {
                let number = answer.parse::<usize>().ok().and_then(|number| models.get(number.checked_sub(1)?));
                let named = number.or_else(|| models.iter().find(|model| *model == answer));
                named.cloned().ok_or_else(|| format!("{answer}: {shown} lists no such model"))
            };
            questions.ask("Model, by number or name", Some(first), "--model", read)
        }
    }
}

fn choose_goal<R: BufRead, W: Write>(questions: &mut Questions<R, W>) -> anyhow::Result<Goal> {
    questions.say("What do you want to know?")?;
    for (number, goal) in (1..).zip(Goal::ALL) {
        questions.say(&format!("  {number}) {:<10} {}", goal.name(), goal.question()))?;
    }
    let names = Goal::ALL.map(Goal::name).join(", ");
    let read = |answer: &str| Goal::from_answer(answer).ok_or_else(|| format!("{answer}: must be one of {names}"));
    questions.ask("Goal, by number or name", Some(Goal::Latency.name()), "--goal", read)
}

/// The command as lines that a shell joins. A line ends before an option.
fn wrapped(words: &[&str]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for (index, word) in words.iter().enumerate() {
        let word = shell_word(word);
        let value =
            words.get(index + 1).filter(|next| !next.starts_with("--")).map_or(0, |next| shell_word(next).len() + 1);
        if column > 0 && word.starts_with("--") && column + word.len() + value > COLUMNS {
            text.push_str(" \\\n    ");
            column = 4;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += word.len();
        text.push_str(&word);
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command, and all that was asked and said.
    fn answered(asked: &InitInvocation, answers: &str, models: &[&str]) -> anyhow::Result<(String, String)> {
        let mut said = Vec::new();
        let mut questions = Questions { input: answers.as_bytes(), output: &mut said };
        let list = |_: &Config| Ok(models.iter().map(|&model| model.to_owned()).collect());
        let command = command(asked, &Environment::default(), &mut questions, &list)?;
        Ok((command, String::from_utf8(said)?))
    }

    #[test]
    fn three_answers_make_a_command() {
        let (command, said) =
            answered(&InitInvocation::default(), "localhost:9000\n2\nthroughput\n", &["a", "b"]).unwrap();
        assert_eq!(
            command,
            "aiperf profile --url localhost:9000 --model b --streaming --isl 512 --osl 128 --concurrency 1,4,16,64 \\\n    \
             --request-count 300\n"
        );
        assert!(said.contains("  2) b\n"), "{said}");
    }

    #[test]
    fn empty_answers_stand_for_the_defaults() {
        let (command, said) = answered(&InitInvocation::default(), "\n\n\n", &["only"]).unwrap();
        assert!(
            command.starts_with("aiperf profile --url http://localhost:8000 --model only --streaming"),
            "{command}"
        );
        assert!(command.contains("--concurrency 1 "), "{command}");
        assert!(said.contains("the only one"), "{said}");
    }

    #[test]
    fn a_wrong_answer_is_asked_again_and_at_the_end_of_the_input_the_option_is_named() {
        let (command, said) = answered(&InitInvocation::default(), "sim:\nfast\n4\n", &[]).unwrap();
        assert!(said.contains("fast: must be one of latency, load"), "{said}");
        assert!(command.contains("max-concurrency-under-sla") && !command.contains("--model"), "{command}");
        let error = answered(&InitInvocation::default(), "localhost:1", &[]).unwrap_err();
        assert!(error.to_string().contains("--model"), "{error}");
    }

    #[test]
    fn every_goal_gives_a_command_that_is_accepted() {
        for goal in Goal::ALL {
            assert_eq!(Goal::from_answer(goal.name()), Some(goal));
            let asked = InitInvocation { url: Some("sim:".to_owned()), model: None, goal: Some(goal) };
            let (command, _) = answered(&asked, "", &[]).unwrap();
            let joined = command.replace("\\\n", " ").replace('\'', "");
            let limits = "time_to_first_token:500 inter_token_latency:50";
            let joined = joined.replace(limits, &limits.replace(' ', "|"));
            let words = joined.split_whitespace().map(|word| word.replace('|', " ").into());
            let parsed = crate::cli::parse(words, &Environment::default());
            assert!(matches!(parsed, Ok(crate::cli::Invocation::Profile(_))), "{command}: {parsed:?}");
        }
    }
}
