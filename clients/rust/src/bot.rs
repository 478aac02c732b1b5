//! What a user of the crate implements.

use crate::{
    v1::{ChoiceRejected, Event, MatchEnded, SeatStatus},
    Decision,
};

/// Any error of a bot's own; `?` turns every error type into it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Index of the option that the bot takes.
pub type Answer = Result<usize, BoxError>;

/// The mind that plays one match.
///
/// Every match has a bot of its own on a thread of its own, so a method may compute for as long as the clock allows:
/// it holds up neither heartbeats nor other matches. An error or a panic is reported on stderr and resigns the match.
pub trait Bot: Send + 'static {
    /// Answers a decision by the index of one of its options.
    fn choose(&mut self, decision: &Decision) -> Answer;

    /// What happened since the last call, oldest first, as this seat may see it.
    fn observe(&mut self, _events: &[Event]) {}

    /// A choice did not count. Where tries are left, `choose` is asked again afterwards.
    fn rejected(&mut self, _rejection: &ChoiceRejected) {}

    /// Another seat lost or found its connection.
    fn seat_status(&mut self, _status: &SeatStatus) {}

    /// The match is over.
    fn ended(&mut self, _end: &MatchEnded) {}
}

/// A function from a decision to an answer is a bot.
impl<F: FnMut(&Decision) -> Answer + Send + 'static> Bot for F {
    fn choose(&mut self, decision: &Decision) -> Answer {
        self(decision)
    }
}
