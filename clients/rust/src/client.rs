//! Playing: connections one after the other, workers beside them.

use std::{
    collections::HashMap,
    future::Future,
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use tokio::{
    sync::{mpsc, Notify},
    task, time,
};
use tonic::{transport::Channel, Code, Request};

use crate::{
    connection::Connection,
    session::{Effect, Flow, Session},
    v1::{catalog_service_client::CatalogServiceClient, GetGameRequest, GetGameResponse, MatchStarted},
    worker::{Report, Said, Worker},
    Bot, Config, Error, Match,
};

const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(5);
/// So many addresses in a row may send the bot on without a Welcome.
const MOST_MOVES: u32 = 5;
const WELCOME_LIMIT: Duration = Duration::from_secs(10);

/// A player at a server.
#[derive(Clone, Debug)]
pub struct Client {
    config: Arc<Config>,
    leave: Arc<Notify>,
}

impl Client {
    /// A client that is not connected yet.
    pub fn new(config: Config) -> Self {
        Self { config: Arc::new(config), leave: Arc::new(Notify::new()) }
    }

    /// A game with its cards as data, from the server's catalogue.
    ///
    /// # Errors
    /// The server cannot be reached or does not have the game.
    pub async fn game(&self, id: &str) -> Result<GetGameResponse, Error> {
        let mut client = CatalogServiceClient::new(self.channel()?).max_decoding_message_size(16 << 20);
        let mut request = Request::new(GetGameRequest { game: id.into() });
        if !self.config.token.is_empty() {
            let wrong = |_| Error::setting("token", "it holds characters that no token has");
            let bearer = format!("Bearer {}", self.config.token).parse().map_err(wrong)?;
            request.metadata_mut().insert("authorization", bearer);
        }
        Ok(client.get_game(request).await?.into_inner())
    }

    /// Asks for no more matches: [`Client::play`] ends when those that run are over.
    pub fn leave(&self) {
        self.leave.notify_one();
    }

    /// Plays until the bot has left. `make` is called at the start of each match, on the match's own thread; what it
    /// does is the bot's preparation.
    ///
    /// # Errors
    /// The server refused the bot, a newer session of the same player took over, or there was no session for longer
    /// than [`Config::give_up_after`].
    pub async fn play<B: Bot>(&self, make: impl Fn(&Match) -> B + Send + Sync + 'static) -> Result<(), Error> {
        self.config.check()?;
        let (reports, inbox) = mpsc::unbounded_channel();
        let session = Session::new(self.config.matches);
        let mut player =
            Player { make: Arc::new(make), session, workers: HashMap::new(), threads: vec![], reports, inbox };
        let played = if self.config.leave_on_signals {
            let mut signals = std::pin::pin!(self.leave_on_signals());
            tokio::select! {
                played = player.play(self) => played,
                error = &mut signals => Err(error),
            }
        } else {
            player.play(self).await
        };
        if played.is_ok() {
            player.join().await;
        }
        played
    }

    fn channel(&self) -> Result<Channel, Error> {
        Ok(self.config.endpoint()?.connect_lazy())
    }

    /// Leaves at the first signal, returns at the second one.
    async fn leave_on_signals(&self) -> Error {
        match signal().await {
            Ok(()) => self.leave(),
            Err(error) => {
                eprintln!("palio: signals cannot be caught: {error}");
                std::future::pending::<()>().await;
            }
        }
        let _ = signal().await;
        Error::new(Code::Cancelled, "INTERRUPTED", "stopped by a second signal before all matches were over")
    }
}

#[cfg(unix)]
fn signal() -> impl Future<Output = std::io::Result<()>> {
    use tokio::signal::unix::{signal, SignalKind};
    async {
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        Ok(())
    }
}

#[cfg(not(unix))]
fn signal() -> impl Future<Output = std::io::Result<()>> {
    tokio::signal::ctrl_c()
}

struct Player<B> {
    make: Arc<dyn Fn(&Match) -> B + Send + Sync>,
    session: Session,
    workers: HashMap<String, Worker>,
    /// Workers that have got their last task.
    threads: Vec<JoinHandle<()>>,
    reports: mpsc::UnboundedSender<Report>,
    inbox: mpsc::UnboundedReceiver<Report>,
}

impl<B: Bot> Player<B> {
    async fn play(&mut self, client: &Client) -> Result<(), Error> {
        let home = client.channel()?;
        let mut channel = home.clone();
        let mut moves = 0;
        let mut alone_since = Instant::now();
        let mut failures = 0;
        loop {
            let left = client.config.give_up_after.saturating_sub(alone_since.elapsed());
            let limit = left.min(WELCOME_LIMIT);
            let opened = Connection::open(channel.clone(), &client.config, self.session.resume(), limit).await;
            let flow = match opened {
                Ok(connection) => {
                    let flow = self.converse(connection, client, &mut failures).await;
                    self.session.disconnected();
                    alone_since = Instant::now();
                    moves = 0;
                    flow
                }
                Err(flow) => flow,
            };
            let lost = match flow {
                Flow::Left => return Ok(()),
                Flow::Fail(error) => return Err(error),
                Flow::Reconnect(error) => error,
                Flow::Moved(address) if moves < MOST_MOVES => {
                    moves += 1;
                    channel = client.config.endpoint_at(&address)?.connect_lazy();
                    continue;
                }
                Flow::Moved(_) => {
                    let message = format!("{MOST_MOVES} addresses in a row sent the bot on");
                    Error::new(Code::Unavailable, "", message)
                }
                Flow::Continue => unreachable!("a conversation does not end by going on"),
            };
            channel = home.clone();
            moves = 0;
            let delay = back_off(failures);
            failures += 1;
            if alone_since.elapsed() + delay > client.config.give_up_after {
                let message =
                    format!("gave up after {:?} without a session: {}", client.config.give_up_after, lost.message);
                return Err(Error { message, ..lost });
            }
            eprintln!("palio: {lost}; connecting again in {} ms", delay.as_millis());
            if self.pause(delay, client).await {
                return Ok(());
            }
        }
    }

    /// Waits before the next attempt. Returns true when the bot left meanwhile and has nothing to play to the end.
    async fn pause(&mut self, delay: Duration, client: &Client) -> bool {
        let end = time::Instant::now() + delay;
        loop {
            if self.session.idle_and_leaving() {
                return true;
            }
            tokio::select! {
                () = time::sleep_until(end) => return false,
                () = client.leave.notified() => self.session.leave(),
                Some(report) = self.inbox.recv() => self.session.report(&report.match_id, report.key, report.said),
            }
            self.carry_out(None);
        }
    }

    /// Plays over one connection until it ends.
    async fn converse(&mut self, mut connection: Connection, client: &Client, failures: &mut u32) -> Flow {
        self.session.welcomed();
        self.carry_out(Some(&connection));
        loop {
            tokio::select! {
                () = client.leave.notified() => self.session.leave(),
                received = connection.next() => {
                    let updates = match received {
                        Ok(updates) => updates,
                        Err(error) => return error.into(),
                    };
                    for update in updates {
                        let flow = self.session.update(update);
                        self.carry_out(Some(&connection));
                        if flow != Flow::Continue {
                            return flow;
                        }
                    }
                    // The session works: the next failure is a new one.
                    *failures = 0;
                }
                Some(report) = self.inbox.recv() => self.session.report(&report.match_id, report.key, report.said),
            }
            self.carry_out(Some(&connection));
        }
    }

    fn carry_out(&mut self, connection: Option<&Connection>) {
        for effect in self.session.effects() {
            match effect {
                Effect::Send(request) => connection.into_iter().for_each(|connection| connection.send(request.clone())),
                Effect::Tell { match_id, task } => {
                    // A worker whose bot failed takes no more tasks.
                    if let Some(worker) = self.workers.get(&match_id) {
                        let _ = worker.tasks.send(task);
                    }
                }
                Effect::Start { match_id, key, started } => self.start(match_id, key, started),
                Effect::Drop { match_id } => self.threads.extend(self.workers.remove(&match_id).map(|w| w.thread)),
                Effect::Log(text) => eprintln!("palio: {text}"),
            }
        }
    }

    fn start(&mut self, match_id: String, key: u64, started: Arc<MatchStarted>) {
        let (id, reports): (Arc<str>, _) = (match_id.as_str().into(), self.reports.clone());
        let game = Match { id: id.clone(), key, started, reports };
        match Worker::start(game, self.make.clone()) {
            Ok(worker) => {
                self.threads.retain(|thread| !thread.is_finished());
                self.threads.extend(self.workers.insert(match_id, worker).map(|old| old.thread));
            }
            Err(error) => {
                let said = Said::Failed(format!("no thread could be started: {error}"));
                let _ = self.reports.send(Report { match_id: id, key, said });
            }
        }
    }

    /// Waits until every bot has been told of the end of its match.
    async fn join(self) {
        let Self { workers, threads, .. } = self;
        let threads = threads.into_iter().chain(workers.into_values().map(|worker| worker.thread));
        let threads: Vec<_> = threads.collect();
        let joined = task::spawn_blocking(move || threads.into_iter().for_each(|thread| drop(thread.join())));
        let _ = joined.await;
    }
}

/// 0.1 s, doubled with every failure up to 5 s, less up to a half at random so that bots do not come back in step.
fn back_off(failures: u32) -> Duration {
    let full = FIRST_DELAY.saturating_mul(1 << failures.min(10)).min(LONGEST_DELAY);
    full.mul_f64(0.5 + fastrand::f64() / 2.0)
}
