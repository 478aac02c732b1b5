//! Plays Fidelitas by the specification in docs/greedy.md: `PALIO_SERVER=localhost:7654 cargo run --example greedy`.

mod brain;
#[cfg(test)]
mod tests;

use brain::Brain;
use palio::{missio, Answer, Bot, Client, Config, Decision, Error};

struct Greedy {
    brain: Brain,
}

impl Bot for Greedy {
    fn choose(&mut self, decision: &Decision) -> Answer {
        let asked = decision.fidelitas().ok_or("this bot plays only Fidelitas")?;
        Ok(self.brain.choose(asked.observation, &asked.options))
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let config = Config { games: vec!["fidelitas".into()], ..Config::from_env("greedy-rust") };
    let client = Client::new(config);
    let catalogue = client.game("fidelitas").await?;
    client.play(move |game| Greedy { brain: Brain::new(missio::cards(game, &catalogue)) }).await
}
