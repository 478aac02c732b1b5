//! How far the City of Fidelitas is from what a Missio card asks for, from the card's data alone.
//!
//! The catalogue ([`crate::Client::game`]) has the cards of the house deck; a match may bring its own in its options.

use crate::{
    fidelitas::v1::{missio_card::Condition, Catalogue, MissioCard, Observation},
    v1::{catalogue, game_options, GetGameResponse, MatchStarted},
};

/// Guilds of the characters, by their numbers; 0 is no character.
const GUILDS: [i32; 15] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9];
const SWINDLER: i32 = 14;
const TAVERNS: [usize; 2] = [3, 8];

/// The cards that lie in the City, as numbers of characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct City {
    stacks: [Vec<i32>; 10],
    /// Whether it has no Tavern, as in the solo game.
    solo: bool,
}

impl City {
    /// The City that a seat sees.
    pub fn new(observation: &Observation) -> Self {
        let mut city = Self { solo: observation.players == 1, ..Self::default() };
        for (stack, seen) in city.stacks.iter_mut().zip(&observation.stacks) {
            stack.clone_from(&seen.cards);
        }
        city
    }

    /// The stack of a location by its number, 1 to 10, bottom to top.
    ///
    /// # Panics
    /// There is no such location.
    pub fn stack(&self, location: usize) -> &Vec<i32> {
        &self.stacks[location - 1]
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// There is no such location.
    pub fn stack_mut(&mut self, location: usize) -> &mut Vec<i32> {
        &mut self.stacks[location - 1]
    }

    /// Numbers of the locations that exist.
    pub fn locations(&self) -> impl Iterator<Item = usize> {
        let solo = self.solo;
        (1..=10).filter(move |location| !(solo && TAVERNS.contains(location)))
    }

    /// How many steps are missing before the condition holds; 0 means that it holds. `None` for a condition that this
    /// version of the library does not know.
    pub fn distance(&self, condition: &Condition) -> Option<usize> {
        let stacks = || self.locations().map(|location| self.stack(location));
        let at = |location: &i32| self.stacks.get((*location - 1) as usize).map_or(&[][..], Vec::as_slice);
        let missing = |wanted: u32, there: usize| (wanted as usize).saturating_sub(there);
        let has = |stack: &[i32], character: i32| stack.contains(&character);
        let has_guild = |stack: &[i32], wanted: i32| stack.iter().any(|card| guild(*card) == wanted);
        Some(match condition {
            Condition::DistinctGuilds(c) => {
                let there = |guild: &i32| c.locations.iter().any(|location| has_guild(at(location), *guild));
                missing(c.count, (1..=9).filter(there).count())
            }
            Condition::CharacterCount(c) => {
                missing(c.count, stacks().flatten().filter(|card| **card == c.character).count())
            }
            Condition::EmptyLocations(c) => {
                let mut sizes: Vec<_> = stacks().map(Vec::len).collect();
                sizes.sort_unstable();
                sizes.iter().take(c.count as usize).sum()
            }
            Condition::CharacterAtEach(c) => c.locations.iter().filter(|place| !has(at(place), c.character)).count(),
            Condition::GuildAtEach(c) => c.locations.iter().filter(|place| !has_guild(at(place), c.guild)).count(),
            Condition::CharacterSpread(c) => missing(c.count, stacks().filter(|stack| has(stack, c.character)).count()),
            Condition::ActiveSwindlers(c) => missing(
                c.count,
                stacks().flat_map(|stack| stack.iter().skip(1)).filter(|card| **card == SWINDLER).count(),
            ),
            Condition::GuildPairs(c) => missing(c.count, stacks().filter(|stack| has_pair(stack)).count()),
            Condition::CrowdedLocation(c) => missing(c.count, stacks().map(Vec::len).max().unwrap_or(0)),
        })
    }

    /// Whether the card could be scored.
    pub fn fulfils(&self, card: &MissioCard) -> bool {
        card.condition.as_ref().and_then(|condition| self.distance(condition)) == Some(0)
    }
}

/// The guild of a character, both as numbers; 0 where there is no such character.
pub fn guild(character: i32) -> i32 {
    usize::try_from(character).ok().and_then(|index| GUILDS.get(index)).copied().unwrap_or(0)
}

fn has_pair(stack: &[i32]) -> bool {
    (1..stack.len()).any(|index| stack[..index].iter().any(|card| guild(*card) == guild(stack[index])))
}

/// The Missio cards that a match is played with, the card with id n at index n - 1: the match's own, or else those of
/// the catalogue.
pub fn cards(game: &MatchStarted, catalogue: &GetGameResponse) -> Vec<MissioCard> {
    let own = game.options.as_ref().and_then(|options| match &options.game {
        Some(game_options::Game::Fidelitas(options)) => options.deck.as_ref().map(|deck| deck.missio.clone()),
        _ => None,
    });
    let house = || match catalogue.catalogue.as_ref().and_then(|catalogue| catalogue.game.as_ref()) {
        Some(catalogue::Game::Fidelitas(Catalogue { missio, .. })) => missio.clone(),
        _ => Vec::new(),
    };
    own.filter(|cards| !cards.is_empty()).unwrap_or_else(house)
}
