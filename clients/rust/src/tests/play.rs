use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::oneshot;
use tonic::{Code, Status};

use super::support::{accepted, choose, config, decision, ended, ready, rejected, resign, serve, started, update};
use crate::{
    v1::{self, play_request::Message as Sent, update::Message as Said, GoodbyeReason, RejectionReason},
    Answer, Bot, Client, Config, Decision, Match,
};

/// Takes the last option, and notes what it is told.
struct Noting {
    id: String,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Noting {
    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(format!("{} {text}", self.id));
    }
}

impl Bot for Noting {
    fn choose(&mut self, decision: &Decision) -> Answer {
        self.note(&format!("asked {}", decision.decision_id));
        Ok(decision.options.len() - 1)
    }

    fn observe(&mut self, events: &[v1::Event]) {
        self.note(&format!("saw {}", events.len()));
    }

    fn rejected(&mut self, rejection: &v1::ChoiceRejected) {
        self.note(&format!("rejected {}", rejection.decision_id));
    }

    fn seat_status(&mut self, status: &v1::SeatStatus) {
        self.note(&format!("seat {} {}", status.seat, status.connected));
    }

    fn ended(&mut self, end: &v1::MatchEnded) {
        // The end is told even when the session ends at the same moment.
        std::thread::sleep(Duration::from_millis(20));
        self.note(&format!("ended {}", end.void_reason));
    }
}

#[tokio::test]
async fn a_match_from_hello_to_goodbye() {
    let (address, mut peers) = serve().await;
    let notes = Arc::new(Mutex::new(vec![]));
    let client =
        Client::new(Config { matches: Some(1), bot_name: "rusty".into(), games: vec!["g".into()], ..config(address) });
    let theirs = notes.clone();
    let make = move |game: &Match| Noting { id: game.id().into(), notes: theirs.clone() };
    let playing = tokio::spawn(async move { client.play(make).await });
    let mut peer = peers.recv().await.unwrap();
    let hello = peer.greet().await;
    assert_eq!((hello.token.as_str(), hello.bot_name.as_str(), hello.protocol_version), ("secret", "rusty", 1));
    assert_eq!((hello.games, hello.max_concurrent_matches), (vec!["g".to_string()], 8));
    assert!(hello.sdk.starts_with("palio-rust/") && hello.resume.is_empty());
    peer.say([started("m", 1)]);
    assert_eq!(peer.hear().await, ready("m"));
    let events = v1::Events { events: vec![v1::Event::default(); 2] };
    let status = v1::SeatStatus { seat: 1, ..Default::default() };
    peer.say([update("m", 2, Said::Events(events)), update("m", 3, Said::SeatStatus(status)), decision("m", 4, 1)]);
    assert_eq!(peer.hear().await, choose("m", 1, 2));
    peer.say([rejected("m", 5, 1, RejectionReason::Illegal, 1)]);
    assert_eq!(peer.hear().await, choose("m", 1, 2));
    peer.say([accepted("m", 6, 1, 2), ended("m", 7)]);
    assert_eq!(peer.hear().await, Sent::Leave(v1::Leave {}));
    peer.goodbye(GoodbyeReason::Left);
    playing.await.unwrap().unwrap();
    let notes = notes.lock().unwrap();
    assert_eq!(*notes, ["m saw 2", "m seat 1 false", "m asked 1", "m rejected 1", "m asked 1", "m ended "]);
}

#[tokio::test]
async fn a_thinking_bot_holds_up_neither_pings_nor_other_matches() {
    let (address, mut peers) = serve().await;
    let client = Client::new(config(address));
    let (release, wait) = oneshot::channel::<()>();
    let wait = Mutex::new(Some(wait));
    let make = move |game: &Match| {
        let mut wait = if game.id() == "slow" { wait.lock().unwrap().take() } else { None };
        move |_: &Decision| {
            wait.take().map(oneshot::Receiver::blocking_recv).transpose()?;
            Ok(1)
        }
    };
    let playing = tokio::spawn(async move { client.play(make).await });
    let mut peer = peers.recv().await.unwrap();
    peer.greet().await;
    peer.say([started("slow", 1), decision("slow", 2, 1)]);
    assert_eq!(peer.hear().await, ready("slow"));
    peer.say([update("", 0, Said::Ping(v1::Ping { nonce: 7 }))]);
    assert_eq!(peer.hear().await, Sent::Pong(v1::Pong { nonce: 7 }));
    peer.say([started("quick", 1), decision("quick", 2, 1)]);
    assert_eq!((peer.hear().await, peer.hear().await), (ready("quick"), choose("quick", 1, 1)));
    release.send(()).unwrap();
    assert_eq!(peer.hear().await, choose("slow", 1, 1));
    peer.goodbye(GoodbyeReason::Left);
    playing.await.unwrap().unwrap();
}

#[tokio::test]
async fn errors_and_panics_resign_the_match_only() {
    let (address, mut peers) = serve().await;
    let client = Client::new(config(address));
    let make = |game: &Match| {
        assert_ne!(game.id(), "unmade", "meant to fail");
        let id = game.id().to_owned();
        move |_: &Decision| match id.as_str() {
            "error" => Err("meant to fail".into()),
            "panic" => panic!("meant to fail"),
            _ => Ok(0),
        }
    };
    let playing = tokio::spawn(async move { client.play(make).await });
    let mut peer = peers.recv().await.unwrap();
    peer.greet().await;
    for id in ["error", "panic"] {
        peer.say([started(id, 1), decision(id, 2, 1)]);
        assert_eq!((peer.hear().await, peer.hear().await), (ready(id), resign(id)));
    }
    peer.say([started("unmade", 1)]);
    assert_eq!(peer.hear().await, resign("unmade"));
    peer.say([started("fine", 1), decision("fine", 2, 1)]);
    assert_eq!((peer.hear().await, peer.hear().await), (ready("fine"), choose("fine", 1, 0)));
    peer.goodbye(GoodbyeReason::Left);
    playing.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_lost_connection_is_taken_up_again() {
    let (address, mut peers) = serve().await;
    let client = Client::new(config(address));
    let playing = tokio::spawn(async move { client.play(|_: &Match| |_: &Decision| Ok(2)).await });
    let mut peer = peers.recv().await.unwrap();
    peer.greet().await;
    peer.say([started("m", 1), decision("m", 2, 1)]);
    assert_eq!((peer.hear().await, peer.hear().await), (ready("m"), choose("m", 1, 2)));
    peer.abort(Status::unavailable("test"));
    // The choice may be lost: it is said again. The second stream ends without a status, the third by draining.
    let mut peer = peers.recv().await.unwrap();
    assert_eq!(peer.greet().await.resume["m"], 2);
    assert_eq!(peer.hear().await, choose("m", 1, 2));
    peer.say([decision("m", 2, 1), accepted("m", 3, 1, 2), ended("m", 4), started("n", 1)]);
    assert_eq!(peer.hear().await, ready("n"));
    drop(peer);
    let mut peer = peers.recv().await.unwrap();
    let resume = peer.greet().await.resume;
    assert_eq!((resume.len(), resume["n"]), (1, 1));
    assert_eq!(peer.hear().await, ready("n"));
    peer.goodbye(GoodbyeReason::Draining);
    let mut peer = peers.recv().await.unwrap();
    peer.greet().await;
    peer.goodbye(GoodbyeReason::Left);
    playing.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_refusal_is_final() {
    let (address, mut peers) = serve().await;
    let client = Client::new(config(address));
    let playing = tokio::spawn(async move { client.play(|_: &Match| |_: &Decision| Ok(0)).await });
    peers.recv().await.unwrap().abort(Status::unauthenticated("who are you?"));
    let error = playing.await.unwrap().unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Unauthenticated, "who are you?"));
}

#[tokio::test]
async fn a_replaced_session_stops() {
    let (address, mut peers) = serve().await;
    let client = Client::new(config(address));
    let playing = tokio::spawn(async move { client.play(|_: &Match| |_: &Decision| Ok(0)).await });
    let mut peer = peers.recv().await.unwrap();
    peer.greet().await;
    peer.goodbye(GoodbyeReason::Replaced);
    assert_eq!(playing.await.unwrap().unwrap_err().reason, "REPLACED");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_given_up() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client = Client::new(Config { give_up_after: Duration::from_millis(300), ..config(address) });
    let error = client.play(|_: &Match| |_: &Decision| Ok(0)).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert!(error.message.contains("gave up after 300ms"), "{error}");
}

#[tokio::test]
async fn leaving_without_a_match_ends_the_session() {
    let (address, mut peers) = serve().await;
    let client = Client::new(config(address));
    let same = client.clone();
    let playing = tokio::spawn(async move { same.play(|_: &Match| |_: &Decision| Ok(0)).await });
    let mut peer = peers.recv().await.unwrap();
    peer.greet().await;
    client.leave();
    assert_eq!(peer.hear().await, Sent::Leave(v1::Leave {}));
    peer.goodbye(GoodbyeReason::Left);
    playing.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_silent_server_is_taken_for_lost() {
    let (address, mut peers) = serve().await;
    let client = Client::new(config(address));
    tokio::spawn(async move { client.play(|_: &Match| |_: &Decision| Ok(0)).await });
    let mut peer = peers.recv().await.unwrap();
    assert!(matches!(peer.hear().await, Sent::Hello(_)));
    let heartbeat = Some(prost_types::Duration { seconds: 0, nanos: 20_000_000 });
    peer.say([update("", 0, Said::Welcome(v1::Welcome { heartbeat, ..Default::default() }))]);
    // The bot comes back by itself while this stream is still open.
    let mut again = peers.recv().await.unwrap();
    again.greet().await;
}

#[test]
fn the_deadline_is_visible() {
    let seconds = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let clock = v1::Clock { remaining: seconds(100), ..Default::default() };
    let decision = Decision::new(v1::Decision { clock: Some(clock), ..Default::default() });
    let remaining = decision.remaining().unwrap();
    assert!(remaining <= Duration::from_secs(100) && remaining > Duration::from_secs(50));
    assert!(decision.deadline().is_some());
    let overdue = v1::Clock { remaining: seconds(-1), ..Default::default() };
    let overdue = Decision::new(v1::Decision { clock: Some(overdue), ..Default::default() });
    assert_eq!(overdue.remaining(), Some(Duration::ZERO));
    assert_eq!(Decision::new(v1::Decision::default()).remaining(), None);
}
