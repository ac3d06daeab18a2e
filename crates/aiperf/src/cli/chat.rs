//! `aiperf chat`: its few options are those of a run with the same names, so that they mean the same.

use aiperf_config::{Config, Environment};
use aiperf_experiment::ChatMemory;
use aiperf_option_table::OptionRow;
use aiperf_options::RawOptions;
use aiperf_options::catalogue::OptionId;
use clap::{ArgMatches, Command};

use super::CliError;
use super::command::option_arg;

const HISTORY: &str = "history";
const NO_HISTORY: &str = "no-history";
/// Where the key is when no option gives it.
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// A chat to begin.
#[derive(Debug)]
pub(crate) struct ChatInvocation {
    pub(crate) config: Config,
    pub(crate) system_prompt: Option<String>,
    /// The one message to send, instead of a chat.
    pub(crate) quick: Option<String>,
    pub(crate) memory: ChatMemory,
}

/// How an option of this command is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChatArg {
    pub(super) short: Option<char>,
    /// The option of a run that it is.
    id: Option<OptionId>,
}

type ChatOption = OptionRow<ChatArg>;

pub(super) const OPTIONS: [ChatOption; 8] = [
    ChatOption {
        name: "model",
        value: "NAME",
        default: "",
        help: "Model to chat with; not needed with --url sim:",
        action: ChatArg { short: Some('m'), id: Some(OptionId::ModelNames) },
    },
    ChatOption {
        name: "url",
        value: "URL",
        default: "http://localhost:8000",
        help: "Server to chat with: its base URL, its /v1, or the full path of its chat endpoint",
        action: ChatArg { short: Some('u'), id: Some(OptionId::Url) },
    },
    ChatOption {
        name: "system-prompt",
        value: "TEXT",
        default: "",
        help: "System message at the start of the conversation",
        action: ChatArg { short: None, id: None },
    },
    ChatOption {
        name: "quick",
        value: "TEXT",
        default: "",
        help: "Send this one message, show the reply and exit",
        action: ChatArg { short: Some('q'), id: None },
    },
    ChatOption {
        name: HISTORY,
        value: "",
        default: "on",
        help: "Send all earlier turns with each new one",
        action: ChatArg { short: None, id: None },
    },
    ChatOption {
        name: NO_HISTORY,
        value: "",
        default: "",
        help: "Send each turn without the earlier ones",
        action: ChatArg { short: None, id: None },
    },
    ChatOption {
        name: "api-key",
        value: "KEY",
        default: "",
        help: "API key to send as a bearer token; by default that of the variable OPENAI_API_KEY",
        action: ChatArg { short: None, id: Some(OptionId::ApiKey) },
    },
    ChatOption {
        name: "tokenizer",
        value: "NAME",
        default: "",
        help: "Tokenizer that counts tokens if the server reports no usage; by default that of the model",
        action: ChatArg { short: None, id: Some(OptionId::Tokenizer) },
    },
];

pub(super) fn command() -> Command {
    let mut command = Command::new("chat")
        .about("Chat with a server and see the latency of each reply")
        .after_help("Examples:\n  aiperf chat --model my-model --url http://localhost:8000\n  aiperf chat --url sim: --quick 'Hello'")
        .disable_version_flag(true)
        .override_usage("aiperf chat --model <NAME> [OPTIONS]");
    for row in &OPTIONS {
        let arg = option_arg(row, row.value).short(row.action.short);
        command = command.arg(arg.allow_hyphen_values(!row.value.is_empty() && row.action.id.is_none()));
    }
    command.mut_arg(NO_HISTORY, |arg| arg.conflicts_with(HISTORY))
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<ChatInvocation, CliError> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let quick = text("quick");
    let silent = [HISTORY, NO_HISTORY].into_iter().find(|name| matches.get_flag(name));
    match (&quick, silent) {
        (Some(_), Some(HISTORY)) => return Err(CliError::OptionWithQuick { option: "--history" }),
        (Some(_), Some(_)) => return Err(CliError::OptionWithQuick { option: "--no-history" }),
        (Some(message), None) if message.trim().is_empty() => return Err(CliError::EmptyMessage),
        _ => {}
    }
    let memory = if matches.get_flag(NO_HISTORY) { ChatMemory::Off } else { ChatMemory::Kept };
    Ok(ChatInvocation { config: config(matches, environment)?, system_prompt: text("system-prompt"), quick, memory })
}

fn config(matches: &ArgMatches, environment: &Environment) -> Result<Config, CliError> {
    let mut raw = RawOptions::default();
    for option in &OPTIONS {
        if let (Some(id), Some(value)) = (option.action.id, matches.try_get_one::<String>(option.name).ok().flatten()) {
            raw.push(id, format!("--{}", option.name), vec![value.clone()]);
        }
    }
    if raw.get(OptionId::ApiKey).is_none()
        && let Some(key) = environment.variables.get(KEY_VARIABLE).filter(|key| !key.is_empty())
    {
        raw.push(OptionId::ApiKey, KEY_VARIABLE, vec![key.clone()]);
    }
    raw.push(OptionId::Streaming, "--streaming", vec!["true".to_owned()]);
    if raw.get(OptionId::ModelNames).is_none() && !raw.get(OptionId::Url).is_some_and(|url| is_sim(&url.values)) {
        return Err(CliError::NoModel);
    }
    Ok(raw.resolve(environment)?)
}

fn is_sim(values: &[String]) -> bool {
    values.iter().all(|url| url.trim_start().starts_with("sim:"))
}

#[cfg(test)]
mod tests {
    use aiperf_address::{Address, Scheme};
    use aiperf_config::Target;

    use super::*;

    fn read_line(words: &[&str], variables: &[(&str, &str)]) -> Result<ChatInvocation, CliError> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let environment = Environment { variables, ..Environment::default() };
        let matches = command().try_get_matches_from(["chat"].iter().chain(words)).unwrap();
        read(&matches, &environment)
    }

    fn refusal(words: &[&str]) -> String {
        read_line(words, &[]).unwrap_err().to_string()
    }

    #[test]
    fn a_chat_streams_to_the_usual_address() {
        let chat = read_line(&["-m", "m"], &[]).unwrap();
        assert_eq!(
            chat.config.endpoint.targets,
            [Target::Url(Address::parse("http://localhost:8000", Scheme::Http).unwrap())]
        );
        assert!(chat.config.endpoint.streaming && chat.config.endpoint.api_key.is_none());
        assert_eq!((chat.memory, chat.quick, chat.system_prompt), (ChatMemory::Kept, None, None));
    }

    #[test]
    fn every_option_reaches_the_chat() {
        let words = ["-m", "m", "-u", "h:1/v1", "--system-prompt", "-be brief", "--no-history", "--api-key", "k"];
        let chat = read_line(&[&words[..], &["--tokenizer", "builtin"]].concat(), &[]).unwrap();
        assert_eq!(chat.memory, ChatMemory::Off);
        assert_eq!(chat.system_prompt.as_deref(), Some("-be brief"));
        assert_eq!(chat.config.endpoint.api_key.unwrap().0, "k");
        assert_eq!(chat.config.endpoint.tokenizer.as_deref(), Some("builtin"));
        assert_eq!(&*chat.config.dataset.models[0], "m");
        assert_eq!(read_line(&["-m", "m", "-q", "hi"], &[]).unwrap().quick.as_deref(), Some("hi"));
        assert_eq!(read_line(&["-m", "m", "--history"], &[]).unwrap().memory, ChatMemory::Kept);
    }

    #[test]
    fn the_key_of_the_environment_is_the_default() {
        let key = |words: &[&str], value: &str| {
            let chat = read_line(words, &[("OPENAI_API_KEY", value)]).unwrap();
            chat.config.endpoint.api_key.map(|key| key.0)
        };
        assert_eq!(key(&["-m", "m"], "env").as_deref(), Some("env"));
        assert_eq!(key(&["-m", "m", "--api-key", "own"], "env").as_deref(), Some("own"));
        assert_eq!(key(&["-m", "m"], ""), None);
    }

    #[test]
    fn a_chat_without_a_model_needs_the_simulator() {
        assert!(refusal(&[]).contains("--model NAME"));
        assert!(refusal(&["--url", "h:1"]).contains("--model NAME"));
        assert!(read_line(&["--url", "sim:"], &[]).is_ok());
    }

    #[test]
    fn what_one_message_cannot_use_is_refused() {
        assert!(refusal(&["-m", "m", "-q", "hi", "--no-history"]).contains("--no-history has no effect with --quick"));
        assert!(refusal(&["-m", "m", "-q", "hi", "--history"]).contains("--history has no effect with --quick"));
        assert!(refusal(&["-m", "m", "-q", " "]).contains("--quick needs a message"));
        assert!(command().try_get_matches_from(["chat", "--history", "--no-history"]).is_err());
    }
}
