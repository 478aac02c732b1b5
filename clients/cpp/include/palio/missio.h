// How far the City of Fidelitas is from what a Missio card asks for, from the card's data alone.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "palio/v1/catalog.pb.h"
#include "palio/v1/play.pb.h"

namespace palio::missio {

// The cards that lie in the City, as numbers of characters. The stack of location n, 1 to 10, is at index n.
struct City {
  City() = default;
  // The City that a seat sees.
  explicit City(const fidelitas::v1::Observation& observation);

  // Numbers of the locations that exist: the solo game has no Tavern.
  const std::vector<int>& locations() const;
  // How many steps are missing before the card's condition holds; 0 means that it could be scored. Unset for a
  // condition that this version of the library does not know.
  std::optional<int> distance(const fidelitas::v1::MissioCard& card) const;

  // Bottom to top; index 0 stays empty.
  std::array<std::vector<int>, 11> stacks;
  bool solo = false;
};

// The guild of a character, both as numbers; 0 where there is no such character.
int guild(int character);

// The Missio cards that a match is played with, the card with id n at index n - 1: the match's own, or else those of
// the catalogue.
std::vector<fidelitas::v1::MissioCard> cards(const v1::MatchStarted& match, const v1::GetGameResponse& catalogue);

}  // namespace palio::missio
