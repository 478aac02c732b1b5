// The greedy bot's thoughts. Names are those of docs/greedy.md, which says the same in words.
#pragma once

#include <palio/missio.h>

#include <vector>

// What stays the same during a match.
class Brain {
 public:
  using Options = google::protobuf::RepeatedPtrField<palio::v1::Option>;

  // cards: the Missio cards, the one with id n at index n - 1.
  explicit Brain(std::vector<palio::fidelitas::v1::MissioCard> cards) : cards_(std::move(cards)) {}

  // The first of the options with the largest value.
  int choose(const palio::fidelitas::v1::Observation& observation, const Options& options) const;

 private:
  std::vector<palio::fidelitas::v1::MissioCard> cards_;
};
