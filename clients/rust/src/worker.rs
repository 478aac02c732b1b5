//! The thread on which the bot of one match runs.

use std::{
    any::Any,
    panic::{catch_unwind, AssertUnwindSafe},
    sync::{mpsc, Arc},
    thread,
};

use crate::{
    v1::{ChoiceRejected, Event, MatchEnded, SeatStatus, Words},
    Bot, BoxError, Decision, Match,
};

/// What a worker is asked to do.
#[derive(Debug)]
pub(crate) enum Task {
    Observe(Vec<Event>),
    Choose(Decision),
    Rejected(ChoiceRejected),
    SeatStatus(SeatStatus),
    Ended(MatchEnded),
}

/// What a worker tells the session.
#[derive(Debug)]
pub(crate) struct Report {
    pub match_id: Arc<str>,
    /// Number of the worker, since a void match comes again under the same id.
    pub key: u64,
    pub said: Said,
}

#[derive(Debug)]
pub(crate) enum Said {
    /// The bot is made.
    Prepared,
    /// The bot took an option.
    Chose { decision_id: u64, option: usize },
    /// The bot's code failed.
    Failed(String),
    /// The bot talks to its partner.
    Signal(Words),
    /// The bot gives up.
    Resign,
}

/// A running worker. Dropping `tasks` lets it finish what it has been given and end.
pub(crate) struct Worker {
    pub tasks: mpsc::Sender<Task>,
    pub thread: thread::JoinHandle<()>,
}

impl Worker {
    /// Starts the thread, which makes its bot first of all.
    pub fn start<B: Bot>(game: Match, make: Arc<dyn Fn(&Match) -> B + Send + Sync>) -> std::io::Result<Self> {
        let (tasks, inbox) = mpsc::channel();
        let thread =
            thread::Builder::new().name(format!("palio {}", game.id)).spawn(move || run(&game, &*make, &inbox));
        Ok(Self { tasks, thread: thread? })
    }
}

fn run<B: Bot>(game: &Match, make: &(dyn Fn(&Match) -> B + Send + Sync), inbox: &mpsc::Receiver<Task>) {
    let say = |said| {
        let _ = game.reports.send(Report { match_id: game.id.clone(), key: game.key, said });
    };
    let mut bot = match guarded(|| Ok(make(game))) {
        Ok(bot) => bot,
        Err(text) => return say(Said::Failed(text)),
    };
    say(Said::Prepared);
    for task in inbox {
        match guarded(|| carry_out(&mut bot, task)) {
            Ok(Some(said)) => say(said),
            Ok(None) => {}
            // What a bot is worth after a panic is anybody's guess: it gets no more tasks.
            Err(text) => return say(Said::Failed(text)),
        }
    }
}

fn carry_out<B: Bot>(bot: &mut B, task: Task) -> Result<Option<Said>, BoxError> {
    match task {
        Task::Observe(events) => bot.observe(&events),
        Task::Rejected(rejection) => bot.rejected(&rejection),
        Task::SeatStatus(status) => bot.seat_status(&status),
        Task::Ended(end) => bot.ended(&end),
        Task::Choose(decision) => {
            let option = bot.choose(&decision)?;
            return Ok(Some(Said::Chose { decision_id: decision.decision_id, option }));
        }
    }
    Ok(None)
}

/// Runs user code; an error or a panic comes back as text.
fn guarded<T>(code: impl FnOnce() -> Result<T, BoxError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(code)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("panicked: {}", panic_text(&*panic))),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown cause")
}
