//! `aiperf chat`: reads messages, prints answers as they come, and after each its figures.

mod figures;
mod messages;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aiperf_config::{Environment, LogLevel};
use aiperf_endpoint::{NewWords, Reply};
use aiperf_experiment::{Interrupt, Talk, TalkError};
use aiperf_hub::Hub;
use anyhow::Context;

use self::messages::Messages;
use crate::cli::ChatInvocation;
use crate::{logging, profile};

const WELCOME: &str = "Type a message and press Enter. Ctrl-C stops an answer, Ctrl-D ends the talk.";
const PROMPT: &str = "> ";

pub(crate) fn run(invocation: &ChatInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    logging::start(LogLevel::Warning);
    logging::warn_of_unread(environment);
    let config = &invocation.config;
    let talk = Talk::open(config, invocation.system_prompt.as_deref(), invocation.memory, profile::VERSION)?;
    let mut session = Session {
        talk,
        hub: profile::hub(config, environment),
        interrupt: Interrupt::default(),
        answering: Arc::default(),
    };
    let stdin = io::stdin();
    let by_hand = invocation.quick.is_none() && stdin.is_terminal();
    session.catch_interrupts(by_hand)?;
    if let Some(message) = &invocation.quick {
        session.turn(message)?;
        return Ok(ExitCode::SUCCESS);
    }
    if by_hand {
        println!("{WELCOME}");
    }
    let mut failed = false;
    let mut messages = Messages::new(stdin.lock());
    loop {
        if by_hand {
            print!("{PROMPT}");
            io::stdout().flush().context("cannot write to stdout")?;
        }
        let outcome = match messages.next() {
            None => break,
            Some(message) => message.and_then(|message| session.turn(&message)),
        };
        // One turn that goes wrong does not end the talk.
        if let Err(error) = outcome {
            failed = true;
            eprintln!("error: {}", crate::sentence(&error));
        }
    }
    if by_hand {
        println!();
        return Ok(ExitCode::SUCCESS);
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

struct Session {
    talk: Talk,
    hub: Hub,
    interrupt: Interrupt,
    /// An answer is coming: Ctrl-C is meant for it.
    answering: Arc<AtomicBool>,
}

impl Session {
    fn catch_interrupts(&self, by_hand: bool) -> anyhow::Result<()> {
        let (interrupt, answering) = (Arc::clone(&self.interrupt), Arc::clone(&self.answering));
        ctrlc::set_handler(move || {
            if by_hand && answering.load(Ordering::Relaxed) && !interrupt.swap(true, Ordering::Relaxed) {
                return;
            }
            println!();
            std::process::exit(i32::from(profile::INTERRUPTED));
        })
        .context("Ctrl-C cannot be caught")
    }

    fn turn(&mut self, message: &str) -> anyhow::Result<()> {
        self.interrupt.store(false, Ordering::Relaxed);
        self.answering.store(true, Ordering::Relaxed);
        let mut out = Printed::default();
        let answer = self.talk.say(message, &self.hub, &self.interrupt, &mut |words| out.show(words));
        self.answering.store(false, Ordering::Relaxed);
        match answer {
            Ok(answer) => {
                out.show_rest(&answer.reply);
                out.end_line();
                crate::print(figures::text(&answer.figures).as_bytes())
            }
            Err(error) => {
                out.end_line();
                if matches!(error, TalkError::Interrupted) {
                    eprintln!("(stopped; this turn is forgotten)");
                    return Ok(());
                }
                Err(error.into())
            }
        }
    }
}

/// What of an answer is on the screen.
#[derive(Default)]
struct Printed {
    text: bool,
    reasoning: bool,
}

impl Printed {
    fn show(&mut self, words: NewWords<'_>) {
        let mut piece = String::new();
        if !words.reasoning.is_empty() {
            piece.push_str(if self.reasoning { "" } else { "[reasoning] " });
            piece.push_str(words.reasoning);
            self.reasoning = true;
        }
        if !words.text.is_empty() {
            piece.push_str(if self.reasoning && !self.text { "\n[answer] " } else { "" });
            piece.push_str(words.text);
            self.text = true;
        }
        // Nobody reads along any more: the figures will tell, or fail to be written as well.
        let mut stdout = io::stdout();
        let _ = stdout.write_all(piece.as_bytes()).and_then(|()| stdout.flush());
    }

    /// What could not be followed: an answer in one piece, and calls of tools.
    fn show_rest(&mut self, reply: &Reply) {
        self.show(NewWords {
            reasoning: if self.reasoning { "" } else { &reply.reasoning_text },
            text: if self.text { "" } else { &reply.plain_text },
        });
        for call in &reply.tool_calls {
            self.end_line();
            println!("[tool call] {}({})", call.name, call.arguments);
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.text) | std::mem::take(&mut self.reasoning) {
            println!();
        }
    }
}
