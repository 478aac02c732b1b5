#include "palio/missio.h"

#include <algorithm>

namespace palio::missio {
namespace {

using fidelitas::v1::MissioCard;
using Stack = std::vector<int>;

constexpr int kSwindler = 14;

bool has(const Stack& stack, int character) { return std::find(stack.begin(), stack.end(), character) != stack.end(); }

bool has_guild(const Stack& stack, int wanted) {
  return std::any_of(stack.begin(), stack.end(), [=](int card) { return guild(card) == wanted; });
}

bool has_pair(const Stack& stack) {
  return std::any_of(stack.begin(), stack.end(), [&](const int& card) {
    return std::any_of(stack.begin(), stack.end(),
                       [&](const int& other) { return &card != &other && guild(card) == guild(other); });
  });
}

int missing(unsigned wanted, long there) { return static_cast<int>(std::max(static_cast<long>(wanted) - there, 0L)); }

}  // namespace

City::City(const fidelitas::v1::Observation& observation) : solo(observation.players() == 1) {
  for (int index = 0; index < std::min(observation.stacks_size(), 10); ++index) {
    const auto& cards = observation.stacks(index).cards();
    stacks[index + 1].assign(cards.begin(), cards.end());
  }
}

const std::vector<int>& City::locations() const {
  static const std::vector<int> kAll = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, kSolo = {1, 2, 4, 5, 6, 7, 9, 10};
  return solo ? kSolo : kAll;
}

std::optional<int> City::distance(const MissioCard& card) const {
  const auto at = [this](int location) { return location >= 1 && location <= 10 ? stacks[location] : Stack(); };
  // How many locations are so.
  const auto places = [&](const auto& is_so) {
    return std::count_if(locations().begin(), locations().end(), [&](int place) { return is_so(stacks[place]); });
  };
  // How many of these locations are not so.
  const auto lacking = [&](const auto& where, const auto& is_so) {
    return static_cast<int>(std::count_if(where.begin(), where.end(), [&](int place) { return !is_so(at(place)); }));
  };
  switch (card.condition_case()) {
    case MissioCard::kDistinctGuilds: {
      const auto& where = card.distinct_guilds().locations();
      int there = 0;
      for (int guild = 1; guild <= 9; ++guild) {
        there += std::any_of(where.begin(), where.end(), [&](int place) { return has_guild(at(place), guild); });
      }
      return missing(card.distinct_guilds().count(), there);
    }
    case MissioCard::kCharacterCount: {
      long there = 0;
      for (int place : locations()) {
        there += std::count(stacks[place].begin(), stacks[place].end(), card.character_count().character());
      }
      return missing(card.character_count().count(), there);
    }
    case MissioCard::kEmptyLocations: {
      std::vector<int> sizes;
      for (int place : locations()) sizes.push_back(static_cast<int>(stacks[place].size()));
      std::sort(sizes.begin(), sizes.end());
      int cards = 0;
      for (unsigned index = 0; index < std::min<std::size_t>(card.empty_locations().count(), sizes.size()); ++index) {
        cards += sizes[index];
      }
      return cards;
    }
    case MissioCard::kCharacterAtEach: {
      const auto& each = card.character_at_each();
      return lacking(each.locations(), [&](const Stack& stack) { return has(stack, each.character()); });
    }
    case MissioCard::kGuildAtEach: {
      const auto& each = card.guild_at_each();
      return lacking(each.locations(), [&](const Stack& stack) { return has_guild(stack, each.guild()); });
    }
    case MissioCard::kCharacterSpread: {
      const auto& spread = card.character_spread();
      return missing(spread.count(), places([&](const Stack& stack) { return has(stack, spread.character()); }));
    }
    case MissioCard::kActiveSwindlers: {
      long there = 0;
      for (int place : locations()) {
        const Stack& stack = stacks[place];
        if (!stack.empty()) there += std::count(stack.begin() + 1, stack.end(), kSwindler);
      }
      return missing(card.active_swindlers().count(), there);
    }
    case MissioCard::kGuildPairs:
      return missing(card.guild_pairs().count(), places(has_pair));
    case MissioCard::kCrowdedLocation: {
      std::size_t largest = 0;
      for (int place : locations()) largest = std::max(largest, stacks[place].size());
      return missing(card.crowded_location().count(), static_cast<long>(largest));
    }
    default:
      return std::nullopt;
  }
}

int guild(int character) {
  static constexpr std::array<int, 15> kGuilds = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9};
  return character >= 0 && character < static_cast<int>(kGuilds.size()) ? kGuilds[character] : 0;
}

std::vector<MissioCard> cards(const v1::MatchStarted& match, const v1::GetGameResponse& catalogue) {
  const auto& own = match.options().fidelitas().deck().missio();
  const auto& used = own.empty() ? catalogue.catalogue().fidelitas().missio() : own;
  return {used.begin(), used.end()};
}

}  // namespace palio::missio
