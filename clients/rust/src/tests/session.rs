use super::support::{accepted, choose, decision, ended, ready, rejected, resign, started, update};
use crate::{
    session::{farewell, Effect, Flow, Session},
    v1::{self, play_request::Message as Sent, update::Message as Said, GoodbyeReason, RejectionReason},
    worker::{self, Task},
};

/// A session with a connection, and with matches that have started and are prepared.
fn playing(ids: &[&str]) -> Session {
    let mut session = Session::new(None);
    session.welcomed();
    for (index, id) in ids.iter().enumerate() {
        assert_eq!(session.update(started(id, 1)), Flow::Continue);
        session.report(id, index as u64 + 1, worker::Said::Prepared);
        assert_eq!(sent(&mut session), [ready(id)]);
    }
    session
}

fn sent(session: &mut Session) -> Vec<Sent> {
    let sent = |effect| if let Effect::Send(request) = effect { Some(request) } else { None };
    session.effects().into_iter().filter_map(sent).collect()
}

/// Ids of the decisions that workers are asked.
fn asked(session: &mut Session) -> Vec<u64> {
    let asked = |effect| match effect {
        Effect::Tell { task: Task::Choose(decision), .. } => Some(decision.decision_id),
        _ => None,
    };
    session.effects().into_iter().filter_map(asked).collect()
}

fn answer(session: &mut Session, decision_id: u64, option: usize) {
    session.report("m", 1, worker::Said::Chose { decision_id, option });
}

fn goodbye(session: &mut Session, reason: i32) -> Flow {
    session.update(update("", 0, Said::Goodbye(v1::Goodbye { reason, text: "test".into(), ..Default::default() })))
}

#[test]
fn a_decision_is_answered_once() {
    let mut session = playing(&["m"]);
    session.update(decision("m", 2, 1));
    assert_eq!(asked(&mut session), [1]);
    answer(&mut session, 1, 2);
    answer(&mut session, 1, 0);
    assert_eq!(sent(&mut session), [choose("m", 1, 2)]);
}

#[test]
fn duplicates_are_ignored() {
    let mut session = playing(&["m"]);
    for _ in 0..3 {
        session.update(decision("m", 2, 1));
    }
    assert_eq!(asked(&mut session), [1]);
    session.update(ended("m", 3));
    session.effects();
    for late in [started("m", 1), decision("m", 2, 1), ended("m", 3)] {
        assert_eq!(session.update(late), Flow::Continue);
    }
    assert!(session.effects().is_empty() && session.resume().is_empty());
}

#[test]
fn a_gap_asks_for_what_was_missed() {
    let mut session = playing(&["m"]);
    assert!(matches!(session.update(decision("m", 3, 1)), Flow::Reconnect(_)));
    assert_eq!(session.resume()["m"], 1);
    // A match whose beginning was missed is asked for from its beginning.
    assert!(matches!(session.update(decision("n", 2, 1)), Flow::Reconnect(_)));
    assert!(matches!(session.update(started("n", 2)), Flow::Reconnect(_)));
    assert!(asked(&mut session).is_empty());
    session.update(started("n", 1));
    assert!(matches!(session.effects()[..], [Effect::Start { .. }]));
}

#[test]
fn what_a_lost_connection_may_have_swallowed_is_said_again() {
    let mut session = playing(&["m"]);
    session.disconnected();
    session.welcomed();
    assert_eq!(sent(&mut session), [ready("m")]);
    session.update(decision("m", 2, 1));
    answer(&mut session, 1, 2);
    assert_eq!(sent(&mut session), [choose("m", 1, 2)]);
    session.disconnected();
    session.welcomed();
    assert_eq!(sent(&mut session), [choose("m", 1, 2)]);
    session.update(accepted("m", 3, 1, 2));
    session.leave();
    session.disconnected();
    session.effects();
    session.welcomed();
    assert_eq!(sent(&mut session), [Sent::Leave(v1::Leave {})]);
}

#[test]
fn an_answer_that_comes_without_a_connection_is_sent_with_the_next() {
    let mut session = playing(&["m"]);
    session.update(decision("m", 2, 1));
    session.disconnected();
    answer(&mut session, 1, 2);
    assert!(sent(&mut session).is_empty());
    session.welcomed();
    assert_eq!(sent(&mut session), [choose("m", 1, 2)]);
}

#[test]
fn a_decision_that_is_settled_already_is_not_answered() {
    let mut session = playing(&["m"]);
    session.update(decision("m", 2, 1));
    session.update(accepted("m", 3, 1, 0));
    answer(&mut session, 1, 2);
    assert!(sent(&mut session).is_empty());
    let history = v1::Decision { decision_id: 2, answered: Some(1), ..Default::default() };
    session.update(update("m", 4, Said::Decision(history)));
    assert!(asked(&mut session).is_empty());
}

#[test]
fn a_rejected_choice_is_asked_again_while_tries_are_left() {
    use RejectionReason::{Illegal, NotYours, Stale, Unreadable};
    let cases =
        [(Illegal, 1, true), (Unreadable, 2, true), (NotYours, 1, true), (Illegal, 0, false), (Stale, 1, false)];
    for (reason, tries_left, again) in cases {
        let mut session = playing(&["m"]);
        session.update(decision("m", 2, 1));
        answer(&mut session, 1, 7);
        session.effects();
        session.update(rejected("m", 3, 1, reason, tries_left));
        assert_eq!(asked(&mut session) == [1], again, "{reason:?} {tries_left}");
        answer(&mut session, 1, 0);
        assert_eq!(sent(&mut session) == [choose("m", 1, 0)], again, "{reason:?} {tries_left}");
    }
}

#[test]
fn a_rejection_while_the_bot_thinks_does_not_ask_twice() {
    let mut session = playing(&["m"]);
    session.update(decision("m", 2, 1));
    session.effects();
    session.update(rejected("m", 3, 1, RejectionReason::Illegal, 1));
    assert!(asked(&mut session).is_empty());
}

#[test]
fn a_failed_bot_resigns_its_match_and_no_other() {
    let mut session = playing(&["m", "n"]);
    session.update(decision("m", 2, 1));
    session.update(decision("n", 2, 1));
    session.effects();
    session.report("m", 1, worker::Said::Failed("oops".into()));
    assert_eq!(sent(&mut session), [resign("m")]);
    session.update(decision("m", 3, 2));
    assert!(asked(&mut session).is_empty());
    session.report("n", 2, worker::Said::Chose { decision_id: 1, option: 1 });
    assert_eq!(sent(&mut session), [choose("n", 1, 1)]);
}

#[test]
fn a_void_match_comes_again_under_the_same_id() {
    let mut session = playing(&["m"]);
    session.update(decision("m", 2, 1));
    session.update(ended("m", 3));
    session.update(started("m", 1));
    let second = v1::MatchStarted { attempt: 2, ..Default::default() };
    session.effects();
    session.update(update("m", 1, Said::MatchStarted(second)));
    assert!(matches!(session.effects()[..], [Effect::Start { key: 2, .. }]));
    session.update(decision("m", 2, 1));
    session.effects();
    // The first attempt's bot comes too late.
    answer(&mut session, 1, 2);
    assert!(sent(&mut session).is_empty());
    // The end of the second attempt is not heard of.
    let third = v1::MatchStarted { attempt: 3, ..Default::default() };
    session.update(update("m", 1, Said::MatchStarted(third)));
    assert!(matches!(session.effects()[..], [Effect::Start { key: 3, .. }]));
    assert_eq!(session.resume()["m"], 1);
}

#[test]
fn a_decision_that_is_asked_again_is_answered_as_before() {
    let mut session = playing(&["m"]);
    session.update(decision("m", 2, 1));
    session.update(decision("m", 3, 1));
    assert_eq!(asked(&mut session), [1]);
    answer(&mut session, 1, 2);
    session.update(decision("m", 4, 1));
    assert_eq!(sent(&mut session), [choose("m", 1, 2), choose("m", 1, 2)]);
}

#[test]
fn the_bot_leaves_after_its_last_match() {
    let mut session = Session::new(Some(2));
    session.welcomed();
    for (id, leaves) in [("a", false), ("b", true)] {
        session.update(started(id, 1));
        session.update(ended(id, 2));
        assert_eq!(sent(&mut session) == [Sent::Leave(v1::Leave {})], leaves, "{id}");
    }
    assert!(session.idle_and_leaving());
}

#[test]
fn goodbyes_differ() {
    let mut session = Session::new(None);
    for reason in [GoodbyeReason::Draining as i32, GoodbyeReason::Unresponsive as i32, 0, 99] {
        assert!(matches!(goodbye(&mut session, reason), Flow::Reconnect(_)), "{reason}");
    }
    assert_eq!(goodbye(&mut session, GoodbyeReason::Left.into()), Flow::Left);
    for (reason, name) in [(GoodbyeReason::Replaced, "REPLACED"), (GoodbyeReason::Protocol, "PROTOCOL")] {
        let Flow::Fail(error) = goodbye(&mut session, reason.into()) else { panic!("{name}") };
        assert_eq!(error.reason, name);
        assert!(!error.is_transient());
    }
}

#[test]
fn what_a_later_version_says_is_borne() {
    let mut session = playing(&["m"]);
    let unknown = |match_id: &str, seq| v1::Update { match_id: match_id.into(), seq, message: None };
    assert_eq!(session.update(unknown("", 0)), Flow::Continue);
    assert_eq!(session.update(unknown("m", 2)), Flow::Continue);
    assert_eq!(session.update(decision("m", 3, 1)), Flow::Continue);
    assert_eq!(asked(&mut session), [1]);
}

#[test]
fn a_goodbye_may_say_where_to_go() {
    let moved = |address: &str| {
        let reason = GoodbyeReason::Moved.into();
        farewell(&v1::Goodbye { reason, text: "test".into(), address: address.into() })
    };
    assert_eq!(moved("there:7701"), Flow::Moved("there:7701".into()));
    assert!(matches!(moved(""), Flow::Reconnect(_)));
}
