//! What a bot owes the server, without any input or output: updates and reports go in, effects come out.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::Arc,
};

use tonic::Code;

use crate::{
    v1::{
        self, play_request::Message as Request, update::Message as Said, Choose, Goodbye, GoodbyeReason, Leave,
        MatchEnded, MatchStarted, Pong, Ready, RejectionReason, Resign, Signal, Update,
    },
    worker::{self, Task},
    Decision, Error,
};

/// So many ended matches are remembered, to recognise what comes twice.
const ENDED_MEMORY: usize = 10_000;

/// Something that the session wants done.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Send this.
    Send(Request),
    /// Start worker `key` for this match.
    Start { match_id: String, key: u64, started: Arc<MatchStarted> },
    /// Hand this to the match's worker.
    Tell { match_id: String, task: Task },
    /// Let go of the match's worker.
    Drop { match_id: String },
    /// Write this on stderr.
    Log(String),
}

/// What becomes of the connection.
#[derive(Debug, PartialEq)]
pub(crate) enum Flow {
    /// It goes on.
    Continue,
    /// It is to be made anew, for this reason.
    Reconnect(Error),
    /// It is to be made anew at once, to this address.
    Moved(String),
    /// The bot has left.
    Left,
    /// The server wants no more of this bot.
    Fail(Error),
}

impl From<Error> for Flow {
    /// Whether a new connection may help.
    fn from(error: Error) -> Self {
        if error.is_transient() {
            Self::Reconnect(error)
        } else {
            Self::Fail(error)
        }
    }
}

#[derive(Debug, Default)]
struct Seat {
    /// Number of the worker.
    key: u64,
    /// The last seq seen.
    seq: u64,
    /// Set once the bot is made.
    prepared: bool,
    /// Set with the first decision: then the server has had the Ready.
    asked: bool,
    resigned: bool,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    decision: Decision,
    /// The answer, once it is sent.
    sent: Option<i32>,
}

impl Seat {
    /// This decision is taken, and so are those before it.
    fn settle(&mut self, decision_id: u64) {
        self.pending.take_if(|pending| pending.decision.decision_id <= decision_id);
    }
}

/// The state of all matches, across connections.
#[derive(Debug, Default)]
pub(crate) struct Session {
    matches: HashMap<String, Seat>,
    /// The last attempt seen of each match, those that are over included.
    attempts: HashMap<String, i32>,
    /// Matches that are over, oldest first.
    ended: VecDeque<String>,
    effects: Vec<Effect>,
    workers: u64,
    finished: u64,
    limit: Option<u64>,
    leaving: bool,
    connected: bool,
}

impl Session {
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// What there is to do now, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        mem::take(&mut self.effects)
    }

    /// For `Hello.resume`.
    pub fn resume(&self) -> HashMap<String, u64> {
        self.matches.iter().map(|(id, seat)| (id.clone(), seat.seq)).collect()
    }

    /// Whether the bot wants to leave and plays nothing any more.
    pub fn idle_and_leaving(&self) -> bool {
        self.leaving && self.matches.is_empty()
    }

    /// The server said Welcome: say again what a lost connection may have swallowed. All of it may be said twice.
    pub fn welcomed(&mut self) {
        self.connected = true;
        for (id, seat) in &self.matches {
            let match_id = id.clone();
            if seat.resigned {
                self.effects.push(Effect::Send(Request::Resign(Resign { match_id })));
            } else if seat.prepared && !seat.asked {
                self.effects.push(Effect::Send(Request::Ready(Ready { match_id, ..Ready::default() })));
            } else if let Some(Pending { decision, sent: Some(option) }) = &seat.pending {
                let choose = Choose { match_id, decision_id: decision.decision_id, option: *option };
                self.effects.push(Effect::Send(Request::Choose(choose)));
            }
        }
        if self.leaving {
            self.effects.push(Effect::Send(Request::Leave(Leave {})));
        }
    }

    /// The connection is gone; what is said until the next Welcome is kept for then.
    pub fn disconnected(&mut self) {
        self.connected = false;
    }

    /// No more matches, please.
    pub fn leave(&mut self) {
        if !mem::replace(&mut self.leaving, true) {
            self.send(Request::Leave(Leave {}));
        }
    }

    /// Takes in what the server says.
    pub fn update(&mut self, update: Update) -> Flow {
        let Update { match_id, seq, message } = update;
        if seq == 0 {
            return self.about_session(match_id, message);
        }
        let known = self.attempts.get(&match_id).copied();
        let message = match message {
            Some(Said::MatchStarted(started)) if known.is_none_or(|attempt| started.attempt > attempt) => {
                if seq != 1 {
                    return lost(format!("match {match_id} starts with seq {seq}"));
                }
                self.start(match_id, started);
                return Flow::Continue;
            }
            message => message,
        };
        let Some(seat) = self.matches.get_mut(&match_id) else {
            // Known and not running: it is over, and this comes twice.
            let missed = || lost(format!("match {match_id}: seq {seq} came before its start"));
            return known.map_or_else(missed, |_| Flow::Continue);
        };
        if seq > seat.seq + 1 {
            return lost(format!("match {match_id}: seq {seq} came after {}", seat.seq));
        }
        if seq == seat.seq + 1 {
            seat.seq = seq;
            message.into_iter().for_each(|message| self.about_match(match_id.clone(), message));
        }
        Flow::Continue
    }

    fn about_session(&mut self, match_id: String, message: Option<Said>) -> Flow {
        match message {
            Some(Said::Ping(ping)) => self.effects.push(Effect::Send(Request::Pong(Pong { nonce: ping.nonce }))),
            Some(Said::Refused(refused)) => self.refused(&refused),
            Some(Said::ChoiceRejected(rejected)) => self.rejected(match_id, rejected),
            Some(Said::Goodbye(goodbye)) => return farewell(&goodbye),
            _ => {}
        }
        Flow::Continue
    }

    fn about_match(&mut self, match_id: String, message: Said) {
        let Some(seat) = self.matches.get_mut(&match_id) else { return };
        let task = match message {
            Said::Events(events) => Task::Observe(events.events),
            Said::SeatStatus(status) => Task::SeatStatus(status),
            Said::Decision(decision) => return self.decision(match_id, decision),
            Said::ChoiceAccepted(accepted) => {
                return seat.settle(accepted.decision_id);
            }
            Said::ChoiceRejected(rejected) => return self.rejected(match_id, rejected),
            Said::MatchEnded(end) => return self.end(match_id, end),
            Said::Refused(refused) => return self.refused(&refused),
            _ => return,
        };
        self.tell(match_id, task);
    }

    /// A match begins, or begins anew after a void attempt whose end was not heard of.
    fn start(&mut self, match_id: String, started: MatchStarted) {
        self.workers += 1;
        self.attempts.insert(match_id.clone(), started.attempt);
        let seat = Seat { key: self.workers, seq: 1, ..Seat::default() };
        self.matches.insert(match_id.clone(), seat);
        self.effects.push(Effect::Start { match_id, key: self.workers, started: Arc::new(started) });
    }

    fn decision(&mut self, match_id: String, decision: v1::Decision) {
        let Some(seat) = self.matches.get_mut(&match_id) else { return };
        seat.asked = true;
        if decision.answered.is_some() {
            // History that a resumed session is told: nothing is asked.
            return seat.settle(decision.decision_id);
        }
        let asked = seat.pending.as_ref().filter(|pending| pending.decision.decision_id == decision.decision_id);
        if let Some(Pending { sent, .. }) = asked {
            // Asked again: an answer that was sent has been lost, one that was not is still being thought of.
            if let Some(option) = *sent {
                let choose = Choose { match_id, decision_id: decision.decision_id, option };
                self.send(Request::Choose(choose));
            }
        } else if !seat.resigned {
            let decision = Decision::new(decision);
            seat.pending = Some(Pending { decision: decision.clone(), sent: None });
            self.tell(match_id, Task::Choose(decision));
        }
    }

    fn rejected(&mut self, match_id: String, rejected: v1::ChoiceRejected) {
        let Some(seat) = self.matches.get_mut(&match_id) else { return };
        if matches!(rejected.reason(), RejectionReason::Stale | RejectionReason::Unspecified) {
            return;
        }
        let pending = seat.pending.as_mut().filter(|pending| pending.decision.decision_id == rejected.decision_id);
        // Without a sent answer the bot is still thinking; the rejection is of an older message then.
        let again = pending.filter(|pending| pending.sent.is_some() && rejected.tries_left > 0).map(|pending| {
            pending.sent = None;
            pending.decision.clone()
        });
        let text = format!("match {match_id}: choice rejected, {}: {}", rejected.reason().as_str_name(), rejected.text);
        self.effects.push(Effect::Log(text));
        self.tell(match_id.clone(), Task::Rejected(rejected));
        if let Some(decision) = again {
            self.tell(match_id, Task::Choose(decision));
        }
    }

    fn end(&mut self, match_id: String, end: MatchEnded) {
        self.matches.remove(&match_id);
        self.ended.push_back(match_id.clone());
        if self.ended.len() > ENDED_MEMORY {
            // A void match that was played again is here twice.
            let forgotten =
                self.ended.pop_front().filter(|id| !self.matches.contains_key(id) && !self.ended.contains(id));
            forgotten.and_then(|id| self.attempts.remove(&id));
        }
        self.finished += 1;
        self.tell(match_id.clone(), Task::Ended(end));
        self.effects.push(Effect::Drop { match_id });
        if self.limit.is_some_and(|limit| self.finished >= limit) {
            self.leave();
        }
    }

    /// Takes in what a worker says; what an older worker says about an attempt that is over is dropped.
    pub fn report(&mut self, match_id: &str, key: u64, said: worker::Said) {
        let Some(seat) = self.matches.get_mut(match_id).filter(|seat| seat.key == key) else {
            if let worker::Said::Failed(text) = said {
                self.effects.push(Effect::Log(format!("match {match_id}: the bot failed after the end: {text}")));
            }
            return;
        };
        let id = match_id.to_owned();
        let request = match said {
            worker::Said::Prepared => {
                seat.prepared = true;
                Request::Ready(Ready { match_id: id, ..Ready::default() })
            }
            worker::Said::Chose { decision_id, option } => {
                let Some(pending) = &mut seat.pending else { return };
                if pending.decision.decision_id != decision_id || pending.sent.is_some() {
                    return;
                }
                // An index too large for the wire is as wrong as one that is merely out of range.
                let option = i32::try_from(option).unwrap_or(i32::MAX);
                pending.sent = Some(option);
                Request::Choose(Choose { match_id: id, decision_id, option })
            }
            worker::Said::Signal(words) => Request::Signal(Signal { match_id: id, words: Some(words) }),
            worker::Said::Resign | worker::Said::Failed(_) => {
                seat.resigned = true;
                seat.pending = None;
                if let worker::Said::Failed(text) = said {
                    let text = format!("match {match_id}: the bot failed, so it resigns: {text}");
                    self.effects.push(Effect::Log(text));
                }
                Request::Resign(Resign { match_id: id })
            }
        };
        self.send(request);
    }

    fn refused(&mut self, refused: &v1::Refused) {
        let at = if refused.field.is_empty() { String::new() } else { format!(" ({})", refused.field) };
        self.effects.push(Effect::Log(format!("refused, {}{at}: {}", refused.reason, refused.text)));
    }

    fn tell(&mut self, match_id: String, task: Task) {
        self.effects.push(Effect::Tell { match_id, task });
    }

    /// Sends now, or not at all: [`Session::welcomed`] says again what matters.
    fn send(&mut self, request: Request) {
        if self.connected {
            self.effects.push(Effect::Send(request));
        }
    }
}

/// What a goodbye means for the connection. An unknown reason is taken for one that may pass.
pub(crate) fn farewell(goodbye: &Goodbye) -> Flow {
    let text = &goodbye.text;
    match goodbye.reason() {
        GoodbyeReason::Left => Flow::Left,
        GoodbyeReason::Replaced => {
            let message = format!("a newer session of this player took over: {text}");
            Flow::Fail(Error::new(Code::Aborted, "REPLACED", message))
        }
        GoodbyeReason::Protocol => Flow::Fail(Error::new(Code::FailedPrecondition, "PROTOCOL", text)),
        GoodbyeReason::Moved if !goodbye.address.is_empty() => Flow::Moved(goodbye.address.clone()),
        GoodbyeReason::Draining | GoodbyeReason::Unresponsive | GoodbyeReason::Moved | GoodbyeReason::Unspecified => {
            lost(format!("the server said goodbye: {text}"))
        }
    }
}

fn lost(why: String) -> Flow {
    Flow::Reconnect(Error::new(Code::Unavailable, "", why))
}
