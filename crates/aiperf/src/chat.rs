//! `aiperf chat`: reads messages, prints answers as they come, and after each its figures.

mod figures;
mod messages;
mod screen;

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aiperf_config::{Environment, LogLevel};
use aiperf_experiment::{ChatError, ChatSession, Interrupt};
use aiperf_hub::Hub;
use anyhow::anyhow;

use self::messages::MessageLines;
use self::screen::{AnswerView, ChatScreen};
use crate::build::VERSION;
use crate::cli::ChatInvocation;
use crate::interrupts::Interrupts;
use crate::{logging, profile};

const WELCOME: &str = "Type a message and press Enter. Ctrl-C stops an answer, Ctrl-D ends the chat.";
const PROMPT: &str = "> ";

pub(crate) fn run(
    invocation: &ChatInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    logging::start(LogLevel::Warning);
    logging::warn_of_unread(environment);
    let config = &invocation.config;
    let chat = ChatSession::open(config, invocation.system_prompt.as_deref(), invocation.memory, VERSION)?;
    let mut console = Console {
        chat,
        hub: profile::hub(config, environment),
        interrupt: Interrupt::default(),
        answering: Arc::default(),
        screen: ChatScreen::default(),
    };
    let stdin = io::stdin();
    let by_hand = invocation.quick.is_none() && stdin.is_terminal();
    console.catch_interrupts(by_hand, interrupts);
    if let Some(message) = &invocation.quick {
        console.turn(message)?;
        return Ok(ExitCode::SUCCESS);
    }
    if by_hand {
        console.screen.put(&format!("{WELCOME}\n"));
    }
    let mut failed = false;
    let mut messages = MessageLines::new(stdin.lock());
    while !console.screen.is_gone()? {
        if by_hand {
            console.screen.put(PROMPT);
        }
        let outcome = match messages.next() {
            None => break,
            Some(message) => message.and_then(|message| console.turn(&message)),
        };
        // One turn that goes wrong does not end the chat.
        if let Err(error) = outcome {
            failed = true;
            eprintln!("error: {}", crate::sentence(&error));
        }
    }
    if by_hand {
        console.screen.put("\n");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

struct Console {
    chat: ChatSession,
    hub: Hub,
    interrupt: Interrupt,
    /// An answer is coming: Ctrl-C is meant for it.
    answering: Arc<AtomicBool>,
    screen: ChatScreen,
}

impl Console {
    fn catch_interrupts(&self, by_hand: bool, interrupts: &Interrupts) {
        let (interrupt, answering) = (Arc::clone(&self.interrupt), Arc::clone(&self.answering));
        interrupts.call(move || {
            if by_hand && answering.load(Ordering::Relaxed) && !interrupt.swap(true, Ordering::Relaxed) {
                return;
            }
            ChatScreen::default().put("\n");
            std::process::exit(i32::from(profile::INTERRUPTED));
        });
    }

    fn turn(&mut self, message: &str) -> anyhow::Result<()> {
        self.interrupt.store(false, Ordering::Relaxed);
        self.answering.store(true, Ordering::Relaxed);
        let mut out = AnswerView::on(&mut self.screen);
        let answer = self.chat.say(message, &self.hub, &self.interrupt, &mut |words| out.show(words));
        self.answering.store(false, Ordering::Relaxed);
        match answer {
            Ok(answer) => {
                out.show_rest(&answer.reply);
                out.end_line();
                self.screen.put(&figures::text(&answer.figures));
                self.screen.is_gone().map(|_| ())
            }
            Err(error) => {
                out.end_line();
                if matches!(error, ChatError::Interrupted) {
                    eprintln!("(stopped; this turn is not part of the conversation)");
                    return Ok(());
                }
                Err(anyhow!(self.chat.without_secrets(&crate::sentence(&error.into()))))
            }
        }
    }
}
