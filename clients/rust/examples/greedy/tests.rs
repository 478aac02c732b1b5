//! The same decisions as the greedy bots of all other languages: tests/vectors of the repository.

use std::{collections::BTreeMap, fs, path::Path};

use palio::{
    fidelitas::v1::Observation,
    missio,
    v1::{observation, option, update::Message as Said, Decision, GetGameResponse, PlayResponse},
};
use prost::Message;

use crate::brain::Brain;

fn read<T: Message + Default>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(name);
    T::decode(&*fs::read(path).unwrap()).unwrap()
}

fn choose(brain: &Brain, decision: &Decision) -> usize {
    let Some(observation::Game::Fidelitas(seen)) = decision.observation.as_ref().unwrap().game.as_ref() else {
        panic!("no decision of Fidelitas");
    };
    let options = decision.options.iter().map(|option| match &option.game {
        Some(option::Game::Fidelitas(option)) => option,
        _ => panic!("no option of Fidelitas"),
    });
    brain.choose(seen, &options.collect::<Vec<_>>())
}

#[test]
fn all_decisions_are_those_of_the_specification() {
    let catalogue: GetGameResponse = read("catalogue.binpb");
    let vectors: PlayResponse = read("greedy.binpb");
    let (mut brain, mut compared) = (Brain::new(vec![]), BTreeMap::<String, usize>::new());
    for update in vectors.updates {
        match update.message.unwrap() {
            Said::MatchStarted(started) => brain = Brain::new(missio::cards(&started, &catalogue)),
            Said::Decision(decision) => {
                let place = format!("{} {} {}", update.match_id, decision.decision_id, decision.kind);
                assert_eq!(Some(choose(&brain, &decision) as i32), decision.answered, "{place}");
                *compared.entry(decision.kind).or_default() += 1;
            }
            other => panic!("unexpected {other:?}"),
        }
    }
    assert!(compared.len() >= 11, "too few kinds of decisions: {compared:?}");
}

#[test]
fn nothing_seen_is_no_reason_to_fail() {
    assert_eq!(Brain::new(vec![]).choose(&Observation::default(), &[&Default::default(), &Default::default()]), 0);
}
