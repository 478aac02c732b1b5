// The thread on which the bot of one match runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "palio/bot.h"

namespace palio {

// What a worker is asked to do.
using Task = std::variant<v1::Events, Decision, v1::ChoiceRejected, v1::SeatStatus, v1::MatchEnded>;

// What a worker says: its bot is made, took an option, failed, or has a request of its own.
struct Prepared {};
struct Chose {
  std::uint64_t decision_id;
  int option;
};
struct Failed {
  std::string text;
};
struct Report {
  std::string match_id;
  // Number of the worker, since a void match comes again under the same id.
  std::uint64_t key;
  std::variant<Prepared, Chose, Failed, v1::PlayRequest> said;
};

// A running worker. Destroying it lets it finish what it has been given and end by itself.
class Worker {
 public:
  Worker(std::string match_id, std::uint64_t key, std::shared_ptr<const v1::MatchStarted> started, MakeBot make,
         std::function<void(Report)> report);
  ~Worker();
  Worker(Worker&&) noexcept = default;
  Worker& operator=(Worker&&) = delete;

  void tell(Task task);
  // Nothing more will be told.
  void close();
  // Whether it has ended.
  bool done() const;
  // Waits until everything that it was told is done.
  void finish();

 private:
  struct Queue;
  std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace palio
