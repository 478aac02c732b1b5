//! The greedy bot's thoughts. Names are those of docs/greedy.md, which says the same in words.

use std::cmp::Reverse;

use palio::{
    fidelitas::v1::{
        option::Choice, BrokerDirection, DecisionKind, MissioCard, Observation, Option as Choosable, PriestChoice,
    },
    missio::{guild, City},
};

const WEIGHTS: [i64; 7] = [1000, 300, 100, 30, 10, 3, 1];
const BONUS: i64 = 40;
/// Locations where a card brings no action, and those of Commerce.
const TAVERNS: [usize; 2] = [3, 8];
const COMMERCE: [usize; 2] = [5, 10];

const SHOPKEEPER: i32 = 1;
const BROKER: i32 = 2;
const BUTCHER: i32 = 3;
const BAKER: i32 = 4;
const PROFESSOR: i32 = 5;
const CLERK: i32 = 7;
const BARRISTER: i32 = 8;
const SOLDIER: i32 = 9;
const PRIEST: i32 = 10;
const MINSTREL: i32 = 11;
const THIEF: i32 = 12;
const DOCKMASTER: i32 = 13;

/// What stays the same during a match.
pub struct Brain {
    cards: Vec<MissioCard>,
}

impl Brain {
    /// `cards`: the Missio cards, the one with id n at index n - 1.
    pub fn new(cards: Vec<MissioCard>) -> Self {
        Self { cards }
    }

    /// The first of the options with the largest value.
    pub fn choose(&self, observation: &Observation, options: &[&Choosable]) -> usize {
        let situation = Situation::new(self, observation);
        let value = |index: &usize| options[*index].choice.as_ref().map_or(0, |choice| situation.option(choice));
        (0..options.len()).max_by_key(|index| (value(index), Reverse(*index))).unwrap_or(0)
    }

    fn card(&self, id: u32) -> Option<&MissioCard> {
        self.cards.get((id as usize).checked_sub(1)?)
    }
}

/// A card's points times the weight of its distance.
fn worth(card: &MissioCard, city: &City) -> i64 {
    let distance = card.condition.as_ref().and_then(|condition| city.distance(condition));
    let weight = distance.and_then(|distance| WEIGHTS.get(distance)).copied().unwrap_or(0);
    i64::from(card.points) * weight
}

fn lifted(city: &City, location: usize, character: i32) -> City {
    let mut city = city.clone();
    let stack = city.stack_mut(location);
    if let Some(place) = stack.iter().rposition(|card| *card == character) {
        stack.remove(place);
    }
    city
}

fn with(city: &City, location: usize, character: i32) -> City {
    let mut city = city.clone();
    city.stack_mut(location).push(character);
    city
}

fn moved(city: &City, from: usize, character: i32, to: usize) -> City {
    with(&lifted(city, from, character), to, character)
}

fn swapped(city: &City, x: usize, p: i32, y: usize, q: i32) -> City {
    let mut city = city.clone();
    let place = |location, character| city.stack(location).iter().rposition(|card| *card == character);
    if let (Some(i), Some(j)) = (place(x, p), place(y, q)) {
        city.stack_mut(x)[i] = q;
        city.stack_mut(y)[j] = p;
    }
    city
}

fn same_side(x: usize, y: usize) -> bool {
    (x <= 5) == (y <= 5)
}

/// Where a character may be played besides the Tavern.
fn homes(character: i32, city: &City) -> Vec<usize> {
    match character {
        1 | 2 | 13 => vec![5, 10],
        3 | 4 => vec![4, 9],
        5 | 6 => vec![2, 7],
        7 | 8 | 11 => vec![1, 6],
        14 => city.locations().filter(|location| !city.stack(*location).is_empty()).collect(),
        _ => city.locations().collect(),
    }
}

/// One decision: what is seen, and what was picked before in the middle of an action.
struct Situation<'a> {
    brain: &'a Brain,
    seen: &'a Observation,
    mine: Vec<&'a MissioCard>,
    city: City,
    locked: Vec<usize>,
    kind: DecisionKind,
    /// Whose action asks.
    actor: i32,
    /// A Broker's direction and location.
    broker: Option<(BrokerDirection, usize)>,
    held: Option<(usize, i32)>,
    last_destination: Option<usize>,
}

impl<'a> Situation<'a> {
    fn new(brain: &'a Brain, seen: &'a Observation) -> Self {
        let missio = seen.own.iter().flat_map(|own| &own.missio);
        let mut situation = Self {
            brain,
            seen,
            mine: missio.filter_map(|id| brain.card(*id)).collect(),
            city: City::new(seen),
            locked: seen.stacks.iter().map(|stack| stack.locked as usize).collect(),
            kind: seen.asking.as_ref().map_or(DecisionKind::Unspecified, |asking| asking.kind()),
            actor: seen.asking.as_ref().map_or(0, |asking| asking.character),
            broker: None,
            held: None,
            last_destination: None,
        };
        for pick in seen.asking.iter().flat_map(|asking| &asking.picks) {
            situation.pick(pick);
        }
        situation
    }

    fn pick(&mut self, pick: &Choosable) {
        match &pick.choice {
            Some(Choice::Broker(broker)) => self.broker = Some((broker.direction(), broker.location as usize)),
            Some(Choice::Card(card)) => {
                let (x, p) = (card.location as usize, card.character);
                match (self.actor, self.broker) {
                    (BUTCHER | BARRISTER, _) => self.city = lifted(&self.city, x, p),
                    (BROKER, Some((BrokerDirection::Into, m))) => self.city = moved(&self.city, x, p, m),
                    _ => self.held = Some((x, p)),
                }
            }
            Some(Choice::Destination(destination)) => {
                let y = destination.location as usize;
                if let Some((x, p)) = self.held.take() {
                    self.city = moved(&self.city, x, p, y);
                }
                self.last_destination = Some(y);
            }
            _ => {}
        }
    }

    fn value(&self, city: &City) -> i64 {
        let mut city = city.clone();
        for location in 1..=10 {
            if soldiers(city.stack(location)) >= 3 {
                city.stack_mut(location).clear();
            }
        }
        self.mine.iter().map(|card| worth(card, &city)).sum()
    }

    /// The largest value of these, or that of the City itself where there are none.
    fn best(&self, city: &City, after: impl IntoIterator<Item = City>) -> i64 {
        after.into_iter().map(|after| self.value(&after)).max().unwrap_or_else(|| self.value(city))
    }

    /// The cards above the locked ones.
    fn free<'c>(&self, city: &'c City, location: usize) -> &'c [i32] {
        let locked = self.locked.get(location - 1).copied().unwrap_or(0);
        city.stack(location).get(locked..).unwrap_or(&[])
    }

    /// The different characters above the locked ones.
    fn unlocked(&self, city: &City, location: usize) -> Vec<i32> {
        let mut characters = self.free(city, location).to_vec();
        characters.sort_unstable();
        characters.dedup();
        characters
    }

    /// Every move of a card from `x` to a location that `to` allows.
    fn moves(&self, city: &City, x: usize, to: impl Fn(usize) -> bool) -> Vec<City> {
        let targets: Vec<_> = city.locations().filter(|y| *y != x && to(*y)).collect();
        let every = |p| targets.iter().map(move |y| moved(city, x, p, *y));
        self.unlocked(city, x).into_iter().flat_map(every).collect()
    }

    /// Every swap of `p` at `x` with a card elsewhere.
    fn swaps(&self, city: &City, x: usize, p: i32) -> Vec<City> {
        let others = city.locations().filter(|y| *y != x);
        others.flat_map(|y| self.unlocked(city, y).into_iter().map(move |q| swapped(city, x, p, y, q))).collect()
    }

    fn option(&self, choice: &Choice) -> i64 {
        use DecisionKind as Kind;
        let city = &self.city;
        match (self.kind, choice) {
            (Kind::PlayCard, Choice::Play(play)) => self.play(play.character, play.location as usize),
            (Kind::PlaceThief, Choice::Play(play)) => self.value(&with(city, play.location as usize, THIEF)),
            (Kind::DiscardCard, Choice::HandCard(card)) => -self.hand(city, card.character),
            (Kind::KeepCard, Choice::HandCard(card)) => self.hand(city, card.character),
            (Kind::Priest, Choice::Priest(priest)) => {
                let few = self.seen.own.as_ref().is_none_or(|own| own.missio.len() < 2);
                let wanted = if few { PriestChoice::Missio } else { PriestChoice::Virtus };
                i64::from(priest.choice() == wanted)
            }
            (Kind::ExchangeMissio, Choice::Missio(missio)) => {
                -self.brain.card(missio.id).map_or(0, |card| worth(card, city))
            }
            (Kind::ScoreMissio, Choice::Missio(missio)) => {
                self.brain.card(missio.id).map_or(0, |card| card.points.into())
            }
            (Kind::DrawCard, Choice::Deck(_)) => (1..=14).map(|character| self.hand(city, character)).sum::<i64>() / 14,
            (Kind::DrawCard, Choice::Card(card)) => {
                self.hand(&lifted(city, card.location as usize, card.character), card.character)
            }
            (Kind::Clerk, Choice::DrawTwo(_)) => self.value(city) + BONUS,
            (Kind::Clerk, Choice::Pair(pair)) => {
                let location = pair.location as usize;
                self.value(&lifted(&lifted(city, location, pair.character_a), location, pair.character_b))
            }
            (Kind::BrokerMode, Choice::Broker(broker)) => {
                let m = broker.location as usize;
                match broker.direction() {
                    BrokerDirection::Out => self.best(city, self.moves(city, m, |_| true)),
                    _ => self.best(city, city.locations().flat_map(|x| self.moves(city, x, |y| y == m))),
                }
            }
            (Kind::PickCard, Choice::Pass(_)) => self.value(city),
            (Kind::PickCard, Choice::Card(card)) => self.pick_card(card.location as usize, card.character),
            (Kind::PickDestination, Choice::Destination(destination)) => match self.held {
                Some((x, p)) => self.value(&moved(city, x, p, destination.location as usize)),
                None => self.value(city),
            },
            _ => 0,
        }
    }

    fn pick_card(&self, x: usize, p: i32) -> i64 {
        let city = &self.city;
        let to = |y| moved(city, x, p, y);
        let elsewhere = || city.locations().filter(|y| *y != x);
        match (self.actor, self.held, self.broker, self.last_destination) {
            (SHOPKEEPER, None, ..) => self.best(city, self.swaps(city, x, p)),
            (SHOPKEEPER, Some((y, q)), ..) => self.value(&swapped(city, x, p, y, q)),
            (BUTCHER | BARRISTER, ..) => self.value(&lifted(city, x, p)),
            (BROKER, _, Some((BrokerDirection::Into, m)), _) => self.value(&to(m)),
            (MINSTREL, _, _, Some(y)) => self.value(&to(y)),
            (MINSTREL, ..) => self.best(city, elsewhere().filter(|y| same_side(x, *y)).map(to)),
            _ => self.best(city, elsewhere().map(to)),
        }
    }

    /// The value of playing a card with the best that its action can do in one step.
    fn play(&self, character: i32, n: usize) -> i64 {
        let city = &with(&self.city, n, character);
        if TAVERNS.contains(&n) || (character == SOLDIER && soldiers(city.stack(n)) >= 3) {
            return self.value(city);
        }
        let everywhere = |after: &dyn Fn(usize) -> Vec<City>| city.locations().flat_map(after).collect::<Vec<_>>();
        let mut extra = None;
        let after = match character {
            SHOPKEEPER => {
                everywhere(&|x| self.unlocked(city, x).into_iter().flat_map(|p| self.swaps(city, x, p)).collect())
            }
            BROKER => everywhere(&|x| self.moves(city, x, |y| COMMERCE.contains(&x) || COMMERCE.contains(&y))),
            BUTCHER | BARRISTER => {
                everywhere(&|x| self.unlocked(city, x).into_iter().map(|p| lifted(city, x, p)).collect())
            }
            BAKER => everywhere(&|x| self.moves(city, x, |_| true)),
            CLERK => {
                extra = Some(self.value(city) + BONUS);
                everywhere(&|x| self.pairs_lifted(city, x))
            }
            SOLDIER => {
                let others = soldiers(self.free(city, n)) >= 2;
                let characters = self.unlocked(city, n).into_iter().filter(|p| *p != SOLDIER || others);
                let targets: Vec<_> = city.locations().filter(|y| *y != n).collect();
                characters.flat_map(|p| targets.iter().map(move |y| moved(city, n, p, *y))).collect()
            }
            MINSTREL => {
                extra = Some(self.value(city));
                self.moves(city, n, |y| same_side(n, y))
            }
            DOCKMASTER => COMMERCE.iter().flat_map(|x| self.moves(city, *x, |_| true)).collect(),
            _ => vec![],
        };
        let best = after.iter().map(|after| self.value(after)).chain(extra).max();
        self.bonus(character) + best.unwrap_or_else(|| self.value(city))
    }

    /// Location `x` after every removal of a guild pair there.
    fn pairs_lifted(&self, city: &City, x: usize) -> Vec<City> {
        let free = self.free(city, x);
        let pairs = (0..free.len()).flat_map(|i| (0..i).map(move |j| (free[i], free[j])));
        pairs.filter(|(p, q)| guild(*p) == guild(*q)).map(|(p, q)| lifted(&lifted(city, x, p), x, q)).collect()
    }

    fn bonus(&self, character: i32) -> i64 {
        match character {
            PROFESSOR | PRIEST => BONUS,
            THIEF => {
                let own = self.seen.own.as_ref().map_or(0, |own| own.seat as usize);
                let others = self.seen.seats.iter().enumerate().filter(|(seat, _)| *seat != own);
                BONUS * others.filter(|(_, seat)| seat.hand_size > 2).count() as i64
            }
            _ => 0,
        }
    }

    /// What a card is worth in hand.
    fn hand(&self, city: &City, character: i32) -> i64 {
        let homes = homes(character, city);
        let allowed = city.locations().filter(|n| TAVERNS.contains(n) || homes.contains(n));
        let value = |n: usize| {
            let bonus = if TAVERNS.contains(&n) { 0 } else { self.bonus(character) };
            self.value(&with(city, n, character)) + bonus
        };
        allowed.map(value).max().unwrap_or_else(|| self.value(city))
    }
}

fn soldiers(stack: &[i32]) -> usize {
    stack.iter().filter(|card| **card == SOLDIER).count()
}
