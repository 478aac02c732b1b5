//! Write bots in Rust for the Palio arena.
//!
//! A bot is a value with one method, [`Bot::choose`]; [`Client::play`] connects it, makes one such value for every
//! match, keeps the connection alive, takes it up again after a failure, and returns when the server has said goodbye.
//!
//! ```no_run
//! use palio::{Answer, Bot, Client, Config, Decision};
//!
//! struct First;
//!
//! impl Bot for First {
//!     fn choose(&mut self, _decision: &Decision) -> Answer {
//!         Ok(0)
//!     }
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), palio::Error> {
//!     Client::new(Config::from_env("first")).play(|_game| First).await
//! }
//! ```

#![warn(missing_docs)]

mod bot;
mod client;
mod config;
mod connection;
mod error;
mod match_info;
pub mod missio;
mod session;
mod worker;

/// The messages and stubs that are generated from the protos.
#[allow(missing_docs, clippy::all, rustdoc::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/palio.rs"));
}

pub use bot::{Answer, Bot, BoxError};
pub use client::Client;
pub use config::{Config, Tls};
pub use error::Error;
pub use generated::palio::{feudum, fidelitas, v1};
pub use match_info::{Decision, Match, Typed};

/// What this library calls itself in `Hello.sdk`.
pub const SDK: &str = concat!("palio-rust/", env!("CARGO_PKG_VERSION"));

/// Version of the protocol that this library speaks.
pub const PROTOCOL_VERSION: i32 = 1;

#[cfg(test)]
mod tests;
