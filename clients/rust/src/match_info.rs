//! What a bot is handed: the match that it plays and the decisions that it takes.

use std::{
    ops::Deref,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::mpsc::UnboundedSender;

use crate::{
    feudum, fidelitas,
    v1::{self, observation::Game as Seen, option::Game as Choice},
    worker::{Report, Said},
};

/// A match that a bot plays. Dereferences to [`v1::MatchStarted`]: seat, game, options, players, time control ...
#[derive(Clone, Debug)]
pub struct Match {
    pub(crate) id: Arc<str>,
    pub(crate) key: u64,
    pub(crate) started: Arc<v1::MatchStarted>,
    pub(crate) reports: UnboundedSender<Report>,
}

impl Match {
    /// The match's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Talks to the partner in a team match; everybody sees it. Words that the rules refuse are reported on stderr;
    /// words said while the connection is lost are lost too.
    pub fn signal(&self, words: v1::Words) {
        self.say(Said::Signal(words));
    }

    /// Gives up.
    pub fn resign(&self) {
        self.say(Said::Resign);
    }

    fn say(&self, said: Said) {
        // Nobody listens any more once the session is over; then there is nothing to say either.
        let _ = self.reports.send(Report { match_id: self.id.clone(), key: self.key, said });
    }
}

impl Deref for Match {
    type Target = v1::MatchStarted;

    fn deref(&self) -> &Self::Target {
        &self.started
    }
}

/// A question with at least two answers. Dereferences to [`v1::Decision`]: kind, observation, options, clock ...
#[derive(Clone, Debug)]
pub struct Decision {
    message: Arc<v1::Decision>,
    arrived: Instant,
}

/// What a seat sees and what it may do, in the types of one game.
#[derive(Clone, Debug)]
pub struct Typed<'a, Observation, Option> {
    /// What the seat sees.
    pub observation: &'a Observation,
    /// The options; an index into them is the answer.
    pub options: Vec<&'a Option>,
}

impl Decision {
    pub(crate) fn new(message: v1::Decision) -> Self {
        Self { message: Arc::new(message), arrived: Instant::now() }
    }

    /// When the time runs out, by this machine's monotonic clock; `None` where there is no limit. It errs by the time
    /// that the message took to get here, which the server allows for up to `time_control.lag_allowance`.
    pub fn deadline(&self) -> Option<Instant> {
        let remaining = self.clock.as_ref()?.remaining.as_ref()?;
        self.arrived.checked_add(duration(remaining))
    }

    /// How much time is left now, zero when it has run out; `None` where there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        Some(self.deadline()?.saturating_duration_since(Instant::now()))
    }

    /// The decision in the types of Fidelitas; `None` in a match of another game.
    pub fn fidelitas(&self) -> Option<Typed<'_, fidelitas::v1::Observation, fidelitas::v1::Option>> {
        let Some(Seen::Fidelitas(observation)) = self.observation.as_ref()?.game.as_ref() else { return None };
        let options = self.options.iter().map(|option| match option.game.as_ref() {
            Some(Choice::Fidelitas(option)) => Some(option),
            _ => None,
        });
        Some(Typed { observation, options: options.collect::<Option<_>>()? })
    }

    /// The decision in the types of Feudum; `None` in a match of another game.
    pub fn feudum(&self) -> Option<Typed<'_, feudum::v1::Observation, feudum::v1::Option>> {
        let Some(Seen::Feudum(observation)) = self.observation.as_ref()?.game.as_ref() else { return None };
        let options = self.options.iter().map(|option| match option.game.as_ref() {
            Some(Choice::Feudum(option)) => Some(option),
            _ => None,
        });
        Some(Typed { observation, options: options.collect::<Option<_>>()? })
    }
}

impl Deref for Decision {
    type Target = v1::Decision;

    fn deref(&self) -> &Self::Target {
        &self.message
    }
}

/// A protobuf duration, which may be negative, as one that may not.
pub(crate) fn duration(value: &prost_types::Duration) -> Duration {
    Duration::try_from(*value).unwrap_or_default()
}
