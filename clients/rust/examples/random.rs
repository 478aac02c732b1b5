//! Plays any game at random: `PALIO_SERVER=localhost:7654 cargo run --example random`.

use palio::{Client, Config, Decision, Error};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::new(Config::from_env("random-rust"));
    client.play(|_game| |decision: &Decision| Ok(fastrand::usize(..decision.options.len()))).await
}
