//! One stream to the server, from Hello to its end.

use std::{collections::HashMap, time::Duration};

use tokio::{
    sync::mpsc,
    time::{self, Instant},
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{transport::Channel, Code, Streaming};

use crate::{
    match_info::duration,
    session::{farewell, Flow},
    v1::{
        play_request::Message as Request, play_service_client::PlayServiceClient, update::Message as Said, Hello,
        PlayRequest, PlayResponse, Update, Welcome,
    },
    Config, Error, PROTOCOL_VERSION, SDK,
};

/// An open stream on which the server has said Welcome.
pub(crate) struct Connection {
    requests: mpsc::UnboundedSender<PlayRequest>,
    responses: Streaming<PlayResponse>,
    /// A server that is silent for longer is taken for lost.
    patience: Option<Duration>,
    heard: Instant,
    /// What came in one message with the Welcome.
    rest: Vec<Update>,
}

impl Connection {
    /// Opens a stream, says Hello and waits for Welcome, all of it within `limit`.
    ///
    /// # Errors
    /// What is to be done instead of a conversation.
    pub async fn open(
        channel: Channel,
        config: &Config,
        resume: HashMap<String, u64>,
        limit: Duration,
    ) -> Result<Self, Flow> {
        let slow = |_| Error::new(Code::DeadlineExceeded, "", format!("no Welcome within {limit:?}"));
        time::timeout(limit, Self::greet(channel, config, resume)).await.map_err(slow)?
    }

    async fn greet(channel: Channel, config: &Config, resume: HashMap<String, u64>) -> Result<Self, Flow> {
        let (requests, outgoing) = mpsc::unbounded_channel();
        let hello = Hello {
            token: config.token.clone(),
            bot_name: config.bot_name.clone(),
            bot_version: config.bot_version.clone(),
            sdk: SDK.into(),
            protocol_version: PROTOCOL_VERSION,
            games: config.games.clone(),
            max_concurrent_matches: config.max_concurrent_matches.try_into().unwrap_or(i32::MAX),
            resume,
        };
        let hello = PlayRequest { message: Some(Request::Hello(hello)), ..PlayRequest::default() };
        requests.send(hello).expect("the receiver is alive, we hold it");
        let mut client = PlayServiceClient::new(channel).max_decoding_message_size(16 << 20);
        let mut responses =
            client.play(UnboundedReceiverStream::new(outgoing)).await.map_err(Error::from)?.into_inner();
        loop {
            let Some(response) = responses.message().await.map_err(Error::from)? else {
                return Err(Error::new(Code::Unavailable, "", "the server ended the stream before Welcome").into());
            };
            let mut updates = response.updates.into_iter();
            while let Some(update) = updates.next() {
                match update.message {
                    Some(Said::Welcome(welcome)) => {
                        let (patience, rest) = (patience(&welcome), updates.collect());
                        return Ok(Self { requests, responses, patience, heard: Instant::now(), rest });
                    }
                    // A server that drains or sends the bot elsewhere may say so before anything else.
                    Some(Said::Goodbye(goodbye)) => {
                        return Err(match farewell(&goodbye) {
                            flow @ (Flow::Fail(_) | Flow::Moved(_)) => flow,
                            _ => Error::new(Code::Unavailable, "", format!("goodbye before Welcome: {}", goodbye.text))
                                .into(),
                        });
                    }
                    _ => {}
                }
            }
        }
    }

    /// Puts a message into the outgoing queue. A broken stream shows when the next message is awaited.
    pub fn send(&self, message: Request) {
        let _ = self.requests.send(PlayRequest { message: Some(message), ..PlayRequest::default() });
    }

    /// The next updates, in order. May be cancelled and called again.
    ///
    /// # Errors
    /// The stream ended; the error says whether a new one may help.
    pub async fn next(&mut self) -> Result<Vec<Update>, Error> {
        if !self.rest.is_empty() {
            return Ok(std::mem::take(&mut self.rest));
        }
        let message = self.responses.message();
        let received = match self.patience {
            None => message.await,
            Some(limit) => time::timeout_at(self.heard + limit, message)
                .await
                .map_err(|_| Error::new(Code::Unavailable, "", format!("the server said nothing for {limit:?}")))?,
        };
        self.heard = Instant::now();
        match received? {
            Some(response) => Ok(response.updates),
            None => Err(Error::new(Code::Unavailable, "", "the server ended the stream without a goodbye")),
        }
    }
}

/// Three heartbeats, as the server allows the bot.
fn patience(welcome: &Welcome) -> Option<Duration> {
    let heartbeat = duration(welcome.heartbeat.as_ref()?);
    (!heartbeat.is_zero()).then(|| heartbeat * 3)
}
