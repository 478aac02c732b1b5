#include "greedy_brain.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>

namespace {

namespace pb = palio::fidelitas::v1;
using palio::missio::City;
using palio::missio::guild;
using Cities = std::vector<City>;
using Stack = std::vector<int>;

constexpr std::array<std::int64_t, 7> kWeights = {1000, 300, 100, 30, 10, 3, 1};
constexpr std::int64_t kBonus = 40;

bool is_tavern(int location) { return location == 3 || location == 8; }
bool is_commerce(int location) { return location == 5 || location == 10; }
bool same_side(int x, int y) { return (x <= 5) == (y <= 5); }

auto topmost(Stack& stack, int character) {
  const auto found = std::find(stack.rbegin(), stack.rend(), character);
  return found == stack.rend() ? stack.end() : std::prev(found.base());
}

long soldiers(const Stack& stack) { return std::count(stack.begin(), stack.end(), pb::CHARACTER_SOLDIER); }

City put(City city, int location, int character) {
  city.stacks[location].push_back(character);
  return city;
}

City lifted(City city, int location, int character) {
  Stack& stack = city.stacks[location];
  if (const auto card = topmost(stack, character); card != stack.end()) stack.erase(card);
  return city;
}

City moved(const City& city, int from, int character, int to) {
  return put(lifted(city, from, character), to, character);
}

City swapped(City city, int x, int p, int y, int q) {
  const auto first = topmost(city.stacks[x], p), second = topmost(city.stacks[y], q);
  if (first != city.stacks[x].end() && second != city.stacks[y].end()) std::swap(*first, *second);
  return city;
}

void append(Cities& to, Cities more) { std::move(more.begin(), more.end(), std::back_inserter(to)); }

// Whether a character may be played there, the Tavern left aside.
bool is_home(const City& city, int character, int location) {
  switch (character) {
    case pb::CHARACTER_SHOPKEEPER:
    case pb::CHARACTER_BROKER:
    case pb::CHARACTER_DOCKMASTER:
      return is_commerce(location);
    case pb::CHARACTER_BUTCHER:
    case pb::CHARACTER_BAKER:
      return location == 4 || location == 9;
    case pb::CHARACTER_PROFESSOR:
    case pb::CHARACTER_STUDENT:
      return location == 2 || location == 7;
    case pb::CHARACTER_CLERK:
    case pb::CHARACTER_BARRISTER:
    case pb::CHARACTER_MINSTREL:
      return location == 1 || location == 6;
    case pb::CHARACTER_SWINDLER:
      return !city.stacks[location].empty();
    default:
      return true;
  }
}

// One decision: what is seen, and what was picked before in the middle of an action.
class Situation {
 public:
  Situation(const std::vector<pb::MissioCard>& cards, const pb::Observation& seen)
      : cards_(cards), seen_(seen), city_(seen), actor_(seen.asking().character()) {
    for (const auto id : seen.own().missio()) {
      if (const auto* card = this->card(id)) mine_.push_back(card);
    }
    for (int index = 0; index < std::min(seen.stacks_size(), 10); ++index)
      locked_[index + 1] = seen.stacks(index).locked();
    for (const auto& pick : seen.asking().picks()) take_in(pick);
  }

  std::int64_t value_of(const pb::Option& option) const;

 private:
  void take_in(const pb::Option& pick);
  std::int64_t pick_card(int x, int p) const;
  std::int64_t play(int character, int n) const;
  std::int64_t hand(const City& city, int character) const;
  std::int64_t bonus(int character) const;

  const pb::MissioCard* card(unsigned id) const { return id >= 1 && id <= cards_.size() ? &cards_[id - 1] : nullptr; }

  // A card's points times the weight of its distance.
  static std::int64_t worth(const pb::MissioCard& card, const City& city) {
    const auto distance = city.distance(card);
    return distance && *distance < static_cast<int>(kWeights.size()) ? card.points() * kWeights[*distance] : 0;
  }

  std::int64_t value(City city) const {
    for (Stack& stack : city.stacks) {
      if (soldiers(stack) >= 3) stack.clear();
    }
    std::int64_t sum = 0;
    for (const auto* card : mine_) sum += worth(*card, city);
    return sum;
  }

  // The largest value of these, or that of the City itself where there are none.
  std::int64_t best(const City& city, const Cities& after) const {
    std::optional<std::int64_t> best;
    for (const City& each : after) best = std::max(best.value_or(INT64_MIN), value(each));
    return best ? *best : value(city);
  }

  // The cards above the locked ones.
  Stack free(const City& city, int location) const {
    const Stack& stack = city.stacks[location];
    const auto locked = std::min<std::size_t>(locked_[location], stack.size());
    return {stack.begin() + static_cast<long>(locked), stack.end()};
  }

  // The different characters above the locked ones.
  std::set<int> unlocked(const City& city, int location) const {
    const Stack cards = free(city, location);
    return {cards.begin(), cards.end()};
  }

  // Every move of `p` from `x` to a location that `to` allows.
  template <typename Allowed>
  static Cities moves_of(const City& city, int x, int p, Allowed to) {
    Cities after;
    for (int y : city.locations()) {
      if (y != x && to(y)) after.push_back(moved(city, x, p, y));
    }
    return after;
  }

  // Every move of an unlocked card from `x` to a location that `to` allows.
  template <typename Allowed>
  Cities moves(const City& city, int x, Allowed to) const {
    Cities after;
    for (int p : unlocked(city, x)) append(after, moves_of(city, x, p, to));
    return after;
  }

  // Every swap of `p` at `x` with a card elsewhere.
  Cities swaps(const City& city, int x, int p) const {
    Cities after;
    for (int y : city.locations()) {
      if (y == x) continue;
      for (int q : unlocked(city, y)) after.push_back(swapped(city, x, p, y, q));
    }
    return after;
  }

  // Location `x` after every removal of a guild pair there.
  Cities pairs_lifted(const City& city, int x) const {
    Cities after;
    const Stack cards = free(city, x);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (guild(cards[i]) == guild(cards[j])) after.push_back(lifted(lifted(city, x, cards[i]), x, cards[j]));
      }
    }
    return after;
  }

  static bool anywhere(int) { return true; }

  struct Mode {
    pb::BrokerDirection direction;
    int location;
  };
  struct Held {
    int location;
    int character;
  };

  const std::vector<pb::MissioCard>& cards_;
  const pb::Observation& seen_;
  std::vector<const pb::MissioCard*> mine_;
  City city_;
  std::array<unsigned, 11> locked_ = {};
  int actor_;
  std::optional<Mode> broker_;
  std::optional<Held> held_;
  std::optional<int> last_destination_;
};

void Situation::take_in(const pb::Option& pick) {
  if (pick.has_broker()) {
    broker_ = Mode{pick.broker().direction(), pick.broker().location()};
  } else if (pick.has_card()) {
    const int x = pick.card().location(), p = pick.card().character();
    if (actor_ == pb::CHARACTER_BUTCHER || actor_ == pb::CHARACTER_BARRISTER) {
      city_ = lifted(city_, x, p);
    } else if (broker_ && broker_->direction == pb::BROKER_DIRECTION_INTO) {
      city_ = moved(city_, x, p, broker_->location);
    } else {
      held_ = Held{x, p};
    }
  } else if (pick.has_destination()) {
    const int y = pick.destination().location();
    if (held_) city_ = moved(city_, held_->location, held_->character, y);
    held_.reset();
    last_destination_ = y;
  }
}

std::int64_t Situation::value_of(const pb::Option& option) const {
  switch (seen_.asking().kind()) {
    case pb::DECISION_KIND_PLAY_CARD:
      return play(option.play().character(), option.play().location());
    case pb::DECISION_KIND_PLACE_THIEF:
      return value(put(city_, option.play().location(), pb::CHARACTER_THIEF));
    case pb::DECISION_KIND_DISCARD_CARD:
      return -hand(city_, option.hand_card().character());
    case pb::DECISION_KIND_KEEP_CARD:
      return hand(city_, option.hand_card().character());
    case pb::DECISION_KIND_PRIEST: {
      const bool few = seen_.own().missio_size() < 2;
      return option.priest().choice() == (few ? pb::PRIEST_CHOICE_MISSIO : pb::PRIEST_CHOICE_VIRTUS);
    }
    case pb::DECISION_KIND_EXCHANGE_MISSIO: {
      const auto* missio = card(option.missio().id());
      return missio ? -worth(*missio, city_) : 0;
    }
    case pb::DECISION_KIND_SCORE_MISSIO: {
      const auto* missio = option.has_missio() ? card(option.missio().id()) : nullptr;
      return missio ? missio->points() : 0;
    }
    case pb::DECISION_KIND_DRAW_CARD: {
      if (option.has_card()) {
        const int drawn = option.card().character();
        return hand(lifted(city_, option.card().location(), drawn), drawn);
      }
      std::int64_t sum = 0;
      for (int character = 1; character <= 14; ++character) sum += hand(city_, character);
      return sum / 14;
    }
    case pb::DECISION_KIND_CLERK: {
      if (!option.has_pair()) return value(city_) + kBonus;
      const auto& pair = option.pair();
      return value(lifted(lifted(city_, pair.location(), pair.character_a()), pair.location(), pair.character_b()));
    }
    case pb::DECISION_KIND_BROKER_MODE: {
      const int m = option.broker().location();
      if (option.broker().direction() == pb::BROKER_DIRECTION_OUT) return best(city_, moves(city_, m, anywhere));
      Cities after;
      for (int x : city_.locations()) append(after, moves(city_, x, [m](int y) { return y == m; }));
      return best(city_, after);
    }
    case pb::DECISION_KIND_PICK_CARD:
      return option.has_card() ? pick_card(option.card().location(), option.card().character()) : value(city_);
    case pb::DECISION_KIND_PICK_DESTINATION:
      if (!held_) return value(city_);
      return value(moved(city_, held_->location, held_->character, option.destination().location()));
    default:
      return 0;
  }
}

std::int64_t Situation::pick_card(int x, int p) const {
  switch (actor_) {
    case pb::CHARACTER_SHOPKEEPER:
      if (held_) return value(swapped(city_, x, p, held_->location, held_->character));
      return best(city_, swaps(city_, x, p));
    case pb::CHARACTER_BUTCHER:
    case pb::CHARACTER_BARRISTER:
      return value(lifted(city_, x, p));
    case pb::CHARACTER_BROKER:
      if (broker_ && broker_->direction == pb::BROKER_DIRECTION_INTO)
        return value(moved(city_, x, p, broker_->location));
      break;
    case pb::CHARACTER_MINSTREL:
      if (last_destination_) return value(moved(city_, x, p, *last_destination_));
      return best(city_, moves_of(city_, x, p, [x](int y) { return same_side(x, y); }));
    default:
      break;
  }
  return best(city_, moves_of(city_, x, p, anywhere));
}

// The value of playing a card with the best that its action can do in one step.
std::int64_t Situation::play(int character, int n) const {
  const City city = put(city_, n, character);
  if (is_tavern(n)) return value(city);
  std::optional<std::int64_t> extra;  // the value of an option without a move
  Cities after;
  switch (character) {
    case pb::CHARACTER_SHOPKEEPER:
      for (int x : city.locations()) {
        for (int p : unlocked(city, x)) append(after, swaps(city, x, p));
      }
      break;
    case pb::CHARACTER_BROKER:
      for (int x : city.locations()) {
        append(after, moves(city, x, [x](int y) { return is_commerce(x) || is_commerce(y); }));
      }
      break;
    case pb::CHARACTER_BUTCHER:
    case pb::CHARACTER_BARRISTER:
      for (int x : city.locations()) {
        for (int p : unlocked(city, x)) after.push_back(lifted(city, x, p));
      }
      break;
    case pb::CHARACTER_BAKER:
      for (int x : city.locations()) append(after, moves(city, x, anywhere));
      break;
    case pb::CHARACTER_CLERK:
      for (int x : city.locations()) append(after, pairs_lifted(city, x));
      extra = value(city) + kBonus;
      break;
    case pb::CHARACTER_SOLDIER: {
      if (soldiers(city.stacks[n]) >= 3) return value(city);
      const bool others = soldiers(free(city, n)) >= 2;
      for (int p : unlocked(city, n)) {
        if (p != pb::CHARACTER_SOLDIER || others) append(after, moves_of(city, n, p, anywhere));
      }
      break;
    }
    case pb::CHARACTER_MINSTREL:
      after = moves(city, n, [n](int y) { return same_side(n, y); });
      extra = value(city);
      break;
    case pb::CHARACTER_DOCKMASTER:
      for (int x : {5, 10}) append(after, moves(city, x, anywhere));
      break;
    default:
      break;
  }
  const auto most = !extra ? best(city, after) : after.empty() ? *extra : std::max(*extra, best(city, after));
  return bonus(character) + most;
}

std::int64_t Situation::bonus(int character) const {
  if (character == pb::CHARACTER_PROFESSOR || character == pb::CHARACTER_PRIEST) return kBonus;
  if (character != pb::CHARACTER_THIEF) return 0;
  std::int64_t sum = 0;
  for (int seat = 0; seat < seen_.seats_size(); ++seat) {
    const bool other = static_cast<unsigned>(seat) != seen_.own().seat();
    if (other && seen_.seats(seat).hand_size() > 2) sum += kBonus;
  }
  return sum;
}

// What a card is worth in hand.
std::int64_t Situation::hand(const City& city, int character) const {
  std::optional<std::int64_t> best;
  for (int n : city.locations()) {
    if (!is_tavern(n) && !is_home(city, character, n)) continue;
    const auto here = value(put(city, n, character)) + (is_tavern(n) ? 0 : bonus(character));
    best = std::max(best.value_or(INT64_MIN), here);
  }
  return best ? *best : value(city);
}

}  // namespace

int Brain::choose(const pb::Observation& observation, const Options& options) const {
  const Situation situation(cards_, observation);
  int best = 0;
  std::int64_t best_value = INT64_MIN;
  for (int index = 0; index < options.size(); ++index) {
    const auto value = situation.value_of(options[index].fidelitas());
    if (value > best_value) {
      best = index;
      best_value = value;
    }
  }
  return best;
}
