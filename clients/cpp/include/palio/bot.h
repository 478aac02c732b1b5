// What a user of the library implements.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "palio/decision.h"

namespace palio {

using Events = google::protobuf::RepeatedPtrField<v1::Event>;

// The mind that plays one match.
//
// Every match has a bot of its own on a thread of its own, so a method may compute for as long as the clock allows: it
// holds up neither heartbeats nor other matches. An exception is reported on stderr and resigns the match.
class Bot {
 public:
  virtual ~Bot() = default;

  // Answers a decision by the index of one of its options.
  virtual int choose(const Decision& decision) = 0;
  // What happened since the last call, oldest first, as this seat may see it.
  virtual void observe(const Events&) {}
  // A choice did not count. Where tries are left, choose is asked again afterwards.
  virtual void rejected(const v1::ChoiceRejected&) {}
  // A seat lost or found its connection, or fell out.
  virtual void seat_status(const v1::SeatStatus&) {}
  // The match is over.
  virtual void ended(const v1::MatchEnded&) {}
};

// Makes the bot of a match, on the match's own thread; what it does is the bot's preparation.
using MakeBot = std::function<std::unique_ptr<Bot>(const Match&)>;

// A bot that is one function from a decision to an index.
template <typename Function>
std::unique_ptr<Bot> make_bot(Function choose) {
  struct Plain : Bot {
    explicit Plain(Function function) : function(std::move(function)) {}
    int choose(const Decision& decision) override { return function(decision); }
    Function function;
  };
  return std::make_unique<Plain>(std::move(choose));
}

}  // namespace palio
