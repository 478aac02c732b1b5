//! A server that does what a test says, and short ways to make messages.

use std::{net::SocketAddr, sync::Mutex, time::Duration};

use tokio::{net::TcpListener, sync::mpsc, time::timeout};
use tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream};
use tonic::{transport::Server, Request, Response, Status, Streaming};

use crate::{
    v1::{
        self,
        play_request::Message as Sent,
        play_service_server::{PlayService, PlayServiceServer},
        update::Message as Said,
        Hello, PlayRequest, PlayResponse, Update, Welcome,
    },
    Config,
};

/// One stream that a bot opened.
pub struct Peer {
    requests: Streaming<PlayRequest>,
    responses: mpsc::UnboundedSender<Result<PlayResponse, Status>>,
}

impl Peer {
    /// The next message of the bot.
    pub async fn hear(&mut self) -> Sent {
        let request = timeout(Duration::from_secs(20), self.requests.message()).await.expect("the bot is silent");
        request.unwrap().expect("the bot ended the stream").message.unwrap()
    }

    /// The bot's Hello, answered with Welcome.
    pub async fn greet(&mut self) -> Hello {
        let Sent::Hello(hello) = self.hear().await else { panic!("no Hello") };
        self.say([update("", 0, Said::Welcome(Welcome { protocol_version: 1, ..Welcome::default() }))]);
        hello
    }

    pub fn say(&self, updates: impl IntoIterator<Item = Update>) {
        let updates = updates.into_iter().collect();
        self.responses.send(Ok(PlayResponse { updates })).unwrap();
    }

    pub fn goodbye(self, reason: v1::GoodbyeReason) {
        let goodbye = v1::Goodbye { reason: reason.into(), text: "test".into(), ..Default::default() };
        self.say([update("", 0, Said::Goodbye(goodbye))]);
    }

    pub fn abort(self, status: Status) {
        self.responses.send(Err(status)).unwrap();
    }
}

struct Accepting(Mutex<mpsc::UnboundedSender<Peer>>);

#[tonic::async_trait]
impl PlayService for Accepting {
    type PlayStream = UnboundedReceiverStream<Result<PlayResponse, Status>>;

    async fn play(&self, request: Request<Streaming<PlayRequest>>) -> Result<Response<Self::PlayStream>, Status> {
        let (responses, outgoing) = mpsc::unbounded_channel();
        let peer = Peer { requests: request.into_inner(), responses };
        self.0.lock().unwrap().send(peer).map_err(|_| Status::internal("the test is over"))?;
        Ok(Response::new(UnboundedReceiverStream::new(outgoing)))
    }
}

/// A server on a free port: its address, and the streams that bots open.
pub async fn serve() -> (SocketAddr, mpsc::UnboundedReceiver<Peer>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (peers, accepted) = mpsc::unbounded_channel();
    let service = PlayServiceServer::new(Accepting(Mutex::new(peers)));
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(TcpListenerStream::new(listener)));
    (address, accepted)
}

pub fn config(address: SocketAddr) -> Config {
    Config { token: "secret".into(), leave_on_signals: false, ..Config::new(address.to_string()) }
}

pub fn update(match_id: &str, seq: u64, message: Said) -> Update {
    Update { match_id: match_id.into(), seq, message: Some(message) }
}

pub fn started(match_id: &str, seq: u64) -> Update {
    update(match_id, seq, Said::MatchStarted(v1::MatchStarted { attempt: 1, ..Default::default() }))
}

/// A decision with three options.
pub fn decision(match_id: &str, seq: u64, decision_id: u64) -> Update {
    let options = vec![v1::Option::default(); 3];
    update(match_id, seq, Said::Decision(v1::Decision { decision_id, options, ..Default::default() }))
}

pub fn accepted(match_id: &str, seq: u64, decision_id: u64, option: i32) -> Update {
    update(match_id, seq, Said::ChoiceAccepted(v1::ChoiceAccepted { decision_id, option, charged: None }))
}

pub fn rejected(match_id: &str, seq: u64, decision_id: u64, reason: v1::RejectionReason, tries_left: i32) -> Update {
    let rejected = v1::ChoiceRejected { decision_id, reason: reason.into(), text: "test".into(), tries_left };
    update(match_id, seq, Said::ChoiceRejected(rejected))
}

pub fn ended(match_id: &str, seq: u64) -> Update {
    update(match_id, seq, Said::MatchEnded(v1::MatchEnded::default()))
}

pub fn ready(match_id: &str) -> Sent {
    Sent::Ready(v1::Ready { match_id: match_id.into(), ..Default::default() })
}

pub fn choose(match_id: &str, decision_id: u64, option: i32) -> Sent {
    Sent::Choose(v1::Choose { match_id: match_id.into(), decision_id, option })
}

pub fn resign(match_id: &str) -> Sent {
    Sent::Resign(v1::Resign { match_id: match_id.into() })
}
