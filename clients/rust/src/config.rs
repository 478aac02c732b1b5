//! Where to play and as whom.

use std::{env, path::PathBuf, time::Duration};

use tonic::transport::Endpoint;

use crate::Error;

/// Where a server listens that was started without a word about it.
const DEFAULT_SERVER: &str = "localhost:7654";
/// What switches `PALIO_TLS` on.
const TRUE: [&str; 4] = ["1", "true", "yes", "on"];

/// How the connection is secured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tls {
    /// Not at all: for a server on this machine.
    #[default]
    Off,
    /// TLS, trusting the certificate authorities of the system.
    SystemRoots,
    /// TLS, trusting the certificate authority in this PEM file.
    Ca(PathBuf),
}

/// Where to play and as whom. Take [`Config::from_env`] and change what you like.
#[derive(Clone, Debug)]
pub struct Config {
    /// `host:port`, or `unix:/path/of/socket`.
    pub server: String,
    /// Says who the player is; may be empty on a server in open local mode.
    pub token: String,
    /// How the connection is secured.
    pub tls: Tls,
    /// PEM files: the bot's own certificate and its key, for servers that ask for one.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// Label of the bot; in open local mode also the player's name.
    pub bot_name: String,
    /// Label for logs.
    pub bot_version: String,
    /// Ids of the games it plays; empty means all.
    pub games: Vec<String>,
    /// How many matches it plays at the same time.
    pub max_concurrent_matches: u32,
    /// Leave after so many finished matches; `None` means play for ever.
    pub matches: Option<u64>,
    /// Give up after so long without a session.
    pub give_up_after: Duration,
    /// Leave gracefully on Ctrl-C and on SIGTERM; the second one ends [`crate::Client::play`] with an error at once.
    pub leave_on_signals: bool,
}

impl Config {
    /// Reads `PALIO_SERVER`, `PALIO_TOKEN`, `PALIO_CA`, `PALIO_TLS`, `PALIO_CERT`, `PALIO_KEY` and `PALIO_BOT_NAME`, which
    /// replaces `bot_name`.
    pub fn from_env(bot_name: &str) -> Self {
        Self::from_lookup(bot_name, |name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    pub(crate) fn from_lookup(bot_name: &str, get: impl Fn(&str) -> Option<String>) -> Self {
        let server = get("PALIO_SERVER").unwrap_or_else(|| DEFAULT_SERVER.into());
        let wanted = get("PALIO_TLS").is_some_and(|value| TRUE.contains(&value.to_lowercase().as_str()));
        let tls = match get("PALIO_CA") {
            Some(path) => Tls::Ca(path.into()),
            None if wanted => Tls::SystemRoots,
            None => Tls::Off,
        };
        let identity = match (get("PALIO_CERT"), get("PALIO_KEY")) {
            (None, None) => None,
            (cert, key) => Some((cert.unwrap_or_default().into(), key.unwrap_or_default().into())),
        };
        Self {
            token: get("PALIO_TOKEN").unwrap_or_default(),
            bot_name: get("PALIO_BOT_NAME").unwrap_or_else(|| bot_name.into()),
            tls,
            identity,
            ..Self::new(server)
        }
    }

    /// The defaults for a server, without a look at the environment.
    pub fn new(server: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            token: String::new(),
            tls: Tls::Off,
            identity: None,
            bot_name: String::new(),
            bot_version: String::new(),
            games: Vec::new(),
            max_concurrent_matches: 8,
            matches: None,
            give_up_after: Duration::from_secs(60),
            leave_on_signals: true,
        }
    }

    /// Checks what can be checked without a server.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.max_concurrent_matches == 0 {
            return Err(Error::setting("max_concurrent_matches", "0 is not at least 1"));
        }
        if self.matches == Some(0) {
            return Err(Error::setting("matches", "0 is not at least 1"));
        }
        Ok(())
    }

    /// Checks the address and the TLS settings.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Error> {
        self.endpoint_at(&self.server)
    }

    /// The same for another address of the server.
    pub(crate) fn endpoint_at(&self, server: &str) -> Result<Endpoint, Error> {
        let unix = server.starts_with("unix:");
        let uri = match (unix, &self.tls) {
            (true, _) => server.to_owned(),
            (false, Tls::Off) => format!("http://{server}"),
            (false, _) => format!("https://{server}"),
        };
        let wrong = |_| Error::setting("server", format!("{server:?} is neither host:port nor unix:/path"));
        let endpoint = Endpoint::from_shared(uri).map_err(wrong)?;
        if !unix && endpoint.uri().port_u16().is_none() {
            return Err(Error::setting("server", format!("{server:?} names no port; write host:port")));
        }
        let endpoint = endpoint.connect_timeout(Duration::from_secs(5)).tcp_nodelay(true);
        self.secured(endpoint)
    }

    #[cfg(feature = "tls")]
    fn secured(&self, endpoint: Endpoint) -> Result<Endpoint, Error> {
        use tonic::transport::{Certificate, ClientTlsConfig, Identity};
        let read = |name: &str, path: &PathBuf| {
            std::fs::read(path).map_err(|error| Error::setting(name, format!("{}: {error}", path.display())))
        };
        let mut tls = match &self.tls {
            Tls::Off => return Ok(endpoint),
            Tls::SystemRoots => ClientTlsConfig::new().with_native_roots(),
            Tls::Ca(path) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read("PALIO_CA", path)?)),
        };
        if let Some((cert, key)) = &self.identity {
            tls = tls.identity(Identity::from_pem(read("PALIO_CERT", cert)?, read("PALIO_KEY", key)?));
        }
        Ok(endpoint.tls_config(tls)?)
    }

    #[cfg(not(feature = "tls"))]
    fn secured(&self, endpoint: Endpoint) -> Result<Endpoint, Error> {
        match self.tls {
            Tls::Off => Ok(endpoint),
            _ => Err(Error::setting("tls", "this build has no TLS: add the feature \"tls\" of the crate palio")),
        }
    }
}
