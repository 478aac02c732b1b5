// What the thread that plays waits for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "worker.h"

namespace palio {

// The server said something over connection number `connection`.
struct Received {
  std::uint64_t connection;
  v1::PlayResponse response;
};
// Nothing more comes over that connection.
struct Closed {
  std::uint64_t connection;
};
// The user, or a signal, wants to leave.
struct LeaveAsked {};
// A second signal: stop at once.
struct Interrupted {};

using Letter = std::variant<Received, Closed, Report, LeaveAsked, Interrupted>;

// A queue from many threads to one.
class Inbox {
 public:
  using Clock = std::chrono::steady_clock;

  void put(Letter letter) {
    {
      std::lock_guard lock(mutex_);
      letters_.push_back(std::move(letter));
    }
    changed_.notify_one();
  }

  // The next letter, nothing when there is none by then.
  std::optional<Letter> take(std::optional<Clock::time_point> until) {
    std::unique_lock lock(mutex_);
    const auto some = [this] { return !letters_.empty(); };
    if (!until) {
      changed_.wait(lock, some);
    } else if (!changed_.wait_until(lock, *until, some)) {
      return std::nullopt;
    }
    Letter letter = std::move(letters_.front());
    letters_.pop_front();
    return letter;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Letter> letters_;
};

}  // namespace palio
