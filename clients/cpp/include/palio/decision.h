// What a bot is handed: the match that it plays and the decisions that it takes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "palio/v1/play.pb.h"

namespace palio {

// A match that a bot plays. `->` gives palio.v1.MatchStarted: seat, game, options, players, time control ...
class Match {
 public:
  using Say = std::function<void(v1::PlayRequest)>;

  Match(std::string id, std::shared_ptr<const v1::MatchStarted> started, Say say);

  const std::string& id() const { return id_; }
  const v1::MatchStarted& started() const { return *started_; }
  const v1::MatchStarted* operator->() const { return started_.get(); }

  // Talks to the partner in a team match; everybody sees it. Words that the rules refuse are reported on stderr; words
  // said while the connection is lost are lost too.
  void signal(const v1::Words& words) const;
  // Gives up.
  void resign() const;

 private:
  std::string id_;
  std::shared_ptr<const v1::MatchStarted> started_;
  Say say_;
};

// A question with at least two answers. `->` gives palio.v1.Decision: kind, observation, options, clock ...
class Decision {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Decision(v1::Decision message);

  const v1::Decision& message() const { return *message_; }
  const v1::Decision* operator->() const { return message_.get(); }
  std::uint64_t id() const { return message_->decision_id(); }
  // How many options there are; the answer is an index below it.
  int size() const { return message_->options_size(); }

  // When the time runs out, by this machine's monotonic clock; unset where there is no limit. It errs by the time that
  // the message took to get here, which the server allows for up to time_control.lag_allowance.
  std::optional<Clock::time_point> deadline() const;
  // How much time is left now, zero when it has run out; unset where there is no limit.
  std::optional<Clock::duration> remaining() const;

  // What the seat sees in a match of that game, nullptr in a match of another one.
  const fidelitas::v1::Observation* fidelitas() const;
  const feudum::v1::Observation* feudum() const;
  // An option of that game.
  const fidelitas::v1::Option& fidelitas(int index) const { return message_->options(index).fidelitas(); }
  const feudum::v1::Option& feudum(int index) const { return message_->options(index).feudum(); }

 private:
  std::shared_ptr<const v1::Decision> message_;
  Clock::time_point arrived_;
};

}  // namespace palio
