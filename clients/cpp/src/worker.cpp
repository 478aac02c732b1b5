#include "worker.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace palio {

struct Worker::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;
  bool closed = false;
  std::atomic<bool> done = false;

  std::optional<Task> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return closed || !tasks.empty(); });
    if (tasks.empty()) return std::nullopt;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    return task;
  }
};

namespace {

struct CarryOut {
  Bot& bot;

  using Said = std::optional<Chose>;
  Said operator()(const v1::Events& events) const { return bot.observe(events.events()), std::nullopt; }
  Said operator()(const v1::ChoiceRejected& rejected) const { return bot.rejected(rejected), std::nullopt; }
  Said operator()(const v1::SeatStatus& status) const { return bot.seat_status(status), std::nullopt; }
  Said operator()(const v1::MatchEnded& end) const { return bot.ended(end), std::nullopt; }
  Said operator()(const Decision& decision) const { return Chose{decision.id(), bot.choose(decision)}; }
};

// Runs user code; returns what went wrong.
template <typename Code>
std::optional<Failed> guarded(Code code) {
  try {
    code();
    return std::nullopt;
  } catch (const std::exception& error) {
    return Failed{error.what()};
  } catch (...) {
    return Failed{"it threw something that is no std::exception"};
  }
}

}  // namespace

Worker::Worker(std::string match_id, std::uint64_t key, std::shared_ptr<const v1::MatchStarted> started, MakeBot make,
               std::function<void(Report)> report)
    : queue_(std::make_shared<Queue>()) {
  auto run = [queue = queue_, id = std::move(match_id), key, started = std::move(started), make = std::move(make),
              report = std::move(report)] {
    const Match match(id, started, [=](v1::PlayRequest request) { report({id, key, std::move(request)}); });
    std::unique_ptr<Bot> bot;
    if (auto failed = guarded([&] { bot = make(match); })) return report({id, key, *failed});
    if (!bot) return report({id, key, Failed{"the factory returned no bot"}});
    report({id, key, Prepared{}});
    while (auto task = queue->take()) {
      // What a bot is worth after an exception is anybody's guess: it gets no more tasks.
      std::optional<Chose> chose;
      if (auto failed = guarded([&] { chose = std::visit(CarryOut{*bot}, *task); })) return report({id, key, *failed});
      if (chose) report({id, key, *chose});
    }
  };
  thread_ = std::thread([queue = queue_, run = std::move(run)] {
    run();
    queue->done = true;
  });
}

Worker::~Worker() {
  if (!queue_) return;  // moved from
  close();
  if (thread_.joinable()) thread_.detach();
}

void Worker::tell(Task task) {
  {
    std::lock_guard lock(queue_->mutex);
    queue_->tasks.push_back(std::move(task));
  }
  queue_->changed.notify_one();
}

bool Worker::done() const { return queue_->done; }

void Worker::finish() {
  close();
  if (thread_.joinable()) thread_.join();
}

void Worker::close() {
  {
    std::lock_guard lock(queue_->mutex);
    queue_->closed = true;
  }
  queue_->changed.notify_one();
}

}  // namespace palio
