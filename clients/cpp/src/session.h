// What a bot owes the server, without any input or output: updates and reports go in, effects come out.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "palio/error.h"
#include "worker.h"

namespace palio {

// Something that the session wants done.
struct SendRequest {
  v1::PlayRequest request;
};
struct StartWorker {
  std::string match_id;
  std::uint64_t key;
  std::shared_ptr<const v1::MatchStarted> started;
};
struct TellWorker {
  std::string match_id;
  Task task;
};
struct DropWorker {
  std::string match_id;
};
struct LogLine {
  std::string text;
};
using Effect = std::variant<SendRequest, StartWorker, TellWorker, DropWorker, LogLine>;

// What becomes of the connection.
struct Flow {
  enum Kind { kContinue, kReconnect, kMoved, kLeft, kFail };
  Kind kind = kContinue;
  // Why, for kReconnect and kFail.
  std::optional<Error> error;
  // Where to connect at once, for kMoved.
  std::string address;

  static Flow go_on() { return {}; }
  static Flow left() { return {kLeft, std::nullopt, {}}; }
  static Flow reconnect(const std::string& why) { return {kReconnect, Error(grpc::UNAVAILABLE, "", why), {}}; }
  static Flow moved(const std::string& address) { return {kMoved, std::nullopt, address}; }
  static Flow fail(Error error) { return {kFail, std::move(error), {}}; }
};

// What a goodbye means for the connection. An unknown reason is taken for one that may pass.
Flow farewell(const v1::Goodbye& goodbye);

// The state of all matches, across connections.
class Session {
 public:
  explicit Session(std::optional<std::int64_t> limit) : limit_(limit) {}

  // What there is to do now, in order.
  std::vector<Effect> take_effects() { return std::exchange(effects_, {}); }
  // For Hello.resume: the last seq seen of each running match.
  std::map<std::string, std::uint64_t> resume() const;
  // Whether the bot wants to leave and plays nothing any more.
  bool idle_and_leaving() const { return leaving_ && matches_.empty(); }

  // The server said Welcome: say again what a lost connection may have swallowed. All of it may be said twice.
  void welcomed();
  // The connection is gone; what is said until the next Welcome is kept for then.
  void disconnected() { connected_ = false; }
  // No more matches, please.
  void leave();
  // Takes in what the server says.
  Flow update(v1::Update update);
  // Takes in what a worker says; what an older worker says about an attempt that is over is dropped.
  void report(const Report& report);

 private:
  struct Pending {
    Decision decision;
    // The answer, once it is given.
    std::optional<int> sent;
  };
  struct Seat {
    std::uint64_t key = 0;  // number of the worker
    std::uint64_t seq = 0;  // the last one seen
    bool prepared = false;  // the bot is made
    bool asked = false;     // a decision came, so the server has had the Ready
    bool resigned = false;
    std::optional<Pending> pending;

    // This decision is taken, and so are those before it.
    void settle(std::uint64_t decision_id) {
      if (pending && pending->decision.id() <= decision_id) pending.reset();
    }
  };

  Flow about_session(v1::Update& update);
  void about_match(const std::string& match_id, Seat& seat, v1::Update& update);
  void start(const std::string& match_id, v1::MatchStarted started);
  void decision(const std::string& match_id, Seat& seat, v1::Decision message);
  void rejected(const std::string& match_id, Seat& seat, const v1::ChoiceRejected& rejected);
  void end(const std::string& match_id, v1::MatchEnded end);
  void refused(const v1::Refused& refused);
  void tell(const std::string& match_id, Task task) { effects_.push_back(TellWorker{match_id, std::move(task)}); }
  void log(const std::string& text) { effects_.push_back(LogLine{text}); }
  // Sends now, or not at all: welcomed() says again what matters.
  void send(v1::PlayRequest request);

  std::unordered_map<std::string, Seat> matches_;
  // The last attempt seen of each match, those that are over included.
  std::unordered_map<std::string, int> attempts_;
  // Matches that are over, oldest first.
  std::deque<std::string> ended_;
  std::vector<Effect> effects_;
  std::uint64_t workers_ = 0;
  std::int64_t finished_ = 0;
  std::optional<std::int64_t> limit_;
  bool leaving_ = false;
  bool connected_ = false;
};

}  // namespace palio
