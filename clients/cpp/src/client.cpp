#include "palio/client.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <iostream>
#include <list>
#include <random>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "connection.h"
#include "duration.h"
#include "palio/v1/catalog.grpc.pb.h"
#include "session.h"
#include "signals.h"

namespace palio {
namespace {

using Clock = Inbox::Clock;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr milliseconds kFirstDelay(100);
constexpr milliseconds kLongestDelay(5000);
constexpr milliseconds kWelcomeLimit(10'000);
// So many addresses in a row may send the bot on without a Welcome.
constexpr int kMostMoves = 5;

void log(const std::string& text) { std::cerr << "palio: " + text + "\n"; }

// 0.1 s, doubled with every failure up to 5 s, less up to a half at random so that bots do not come back in step.
milliseconds back_off(int failures) {
  static std::mt19937 random{std::random_device{}()};
  const milliseconds full = std::min(kFirstDelay * (1 << std::min(failures, 10)), kLongestDelay);
  return duration_cast<milliseconds>(full * std::uniform_real_distribution<>(0.5, 1.0)(random));
}

// Plays: connections one after the other, workers beside them. Everything but bots and reading runs on one thread.
class Player {
 public:
  Player(const Config& config, MakeBot make, std::shared_ptr<Inbox> inbox)
      : config_(config), make_(std::move(make)), inbox_(std::move(inbox)), session_(config.matches) {}

  void play() {
    auto alone_since = Clock::now();
    std::string address = config_.server;
    int moves = 0;
    while (true) {
      const auto give_up_at = alone_since + config_.give_up_after;
      Flow flow = converse(address, std::min(give_up_at, Clock::now() + kWelcomeLimit));
      session_.disconnected();
      if (flow.kind == Flow::kLeft) return finish();
      if (flow.kind == Flow::kFail) throw *flow.error;
      if (std::exchange(welcomed_, false)) {
        alone_since = Clock::now();
        moves = 0;
      }
      if (flow.kind == Flow::kMoved) {
        if (moves++ < kMostMoves) {
          address = flow.address;
          continue;
        }
        flow = Flow::reconnect(std::to_string(kMostMoves) + " addresses in a row sent the bot on");
      }
      address = config_.server;
      moves = 0;
      const milliseconds delay = back_off(failures_++);
      if (Clock::now() + delay > alone_since + config_.give_up_after) {
        throw Error(flow.error->code(), flow.error->reason(),
                    "gave up after " + std::to_string(config_.give_up_after.count()) +
                        " ms without a session: " + flow.error->message());
      }
      log(std::string(flow.error->what()) + "; connecting again in " + std::to_string(delay.count()) + " ms");
      if (pause(Clock::now() + delay)) return finish();
    }
  }

 private:
  // Plays over one connection until it ends. Without a Welcome it ends at `welcome_by`.
  Flow converse(const std::string& address, Clock::time_point welcome_by) {
    Connection connection(config_.channel(address), ++connections_, hello(), inbox_);
    std::optional<Clock::time_point> silent_at = welcome_by;
    Clock::duration patience = {};
    while (true) {
      auto letter = inbox_->take(silent_at);
      if (!letter) return Flow::reconnect(welcomed_ ? "the server is silent" : "the server says no Welcome");
      if (auto* received = std::get_if<Received>(&*letter)) {
        if (received->connection != connections_) continue;
        for (auto& update : *received->response.mutable_updates()) {
          Flow flow;
          if (update.has_welcome() && !welcomed_) {
            welcomed_ = true;
            // As patient as the server is with the bot.
            patience = 3 * to_chrono(update.welcome().heartbeat());
            session_.welcomed();
          } else if (welcomed_ || update.has_goodbye()) {
            flow = session_.update(std::move(update));
            // The session works: the next failure is a new one.
            if (flow.kind == Flow::kContinue) failures_ = 0;
          }
          carry_out(&connection);
          if (flow.kind != Flow::kContinue) return flow;
        }
        silent_at = !welcomed_                            ? std::optional(welcome_by)
                    : patience == Clock::duration::zero() ? std::nullopt
                                                          : std::optional(Clock::now() + patience);
      } else if (auto* closed = std::get_if<Closed>(&*letter)) {
        if (closed->connection != connections_) continue;
        const grpc::Status status = connection.finish();
        if (status.ok()) return Flow::reconnect("the server ended the stream without a goodbye");
        Error error = Error::from_status(status);
        return error.transient() ? Flow{Flow::kReconnect, error, {}} : Flow::fail(error);
      } else {
        handle(*letter);
        carry_out(welcomed_ ? &connection : nullptr);
      }
    }
  }

  // Waits before the next attempt. Returns true when the bot left meanwhile and has nothing to play to the end.
  bool pause(Clock::time_point until) {
    while (!session_.idle_and_leaving()) {
      auto letter = inbox_->take(until);
      if (!letter) return false;
      handle(*letter);
      carry_out(nullptr);
    }
    return true;
  }

  void handle(const Letter& letter) {
    if (const auto* report = std::get_if<Report>(&letter)) {
      session_.report(*report);
    } else if (std::holds_alternative<LeaveAsked>(letter)) {
      session_.leave();
    } else if (std::holds_alternative<Interrupted>(letter)) {
      throw Error(grpc::CANCELLED, "INTERRUPTED", "stopped by a second signal before all matches were over");
    }
  }

  v1::PlayRequest hello() const {
    v1::PlayRequest request;
    v1::Hello& hello = *request.mutable_hello();
    hello.set_token(config_.token);
    hello.set_bot_name(config_.bot_name);
    hello.set_bot_version(config_.bot_version);
    hello.set_sdk("palio-cpp/" PALIO_VERSION);
    hello.set_protocol_version(1);
    hello.mutable_games()->Add(config_.games.begin(), config_.games.end());
    hello.set_max_concurrent_matches(config_.max_concurrent_matches);
    for (const auto& [id, seq] : session_.resume()) (*hello.mutable_resume())[id] = seq;
    return request;
  }

  void carry_out(Connection* connection) {
    for (Effect& effect : session_.take_effects()) {
      if (auto* send = std::get_if<SendRequest>(&effect)) {
        if (connection) connection->write(send->request);
      } else if (auto* tell = std::get_if<TellWorker>(&effect)) {
        const auto worker = workers_.find(tell->match_id);
        if (worker != workers_.end()) worker->second.tell(std::move(tell->task));
      } else if (auto* start = std::get_if<StartWorker>(&effect)) {
        this->start(*start);
      } else if (auto* drop = std::get_if<DropWorker>(&effect)) {
        retire(drop->match_id);
      } else {
        log(std::get<LogLine>(effect).text);
      }
    }
  }

  void start(const StartWorker& start) {
    retire(start.match_id);
    auto report = [inbox = inbox_](Report report) { inbox->put(std::move(report)); };
    try {
      workers_.try_emplace(start.match_id, start.match_id, start.key, start.started, make_, report);
    } catch (const std::system_error& error) {
      report({start.match_id, start.key, Failed{std::string("no thread could be started: ") + error.what()}});
    }
  }

  // Lets a worker end by itself. The last ones are waited for in finish().
  void retire(const std::string& match_id) {
    const auto worker = workers_.find(match_id);
    if (worker == workers_.end()) return;
    std::erase_if(retired_, [](const Worker& retired) { return retired.done(); });
    retired_.push_back(std::move(worker->second));
    retired_.back().close();
    workers_.erase(worker);
  }

  // Waits until every bot has been told of the end of its match.
  void finish() {
    for (auto& [id, worker] : workers_) worker.finish();
    for (Worker& worker : retired_) worker.finish();
  }

  const Config& config_;
  const MakeBot make_;
  const std::shared_ptr<Inbox> inbox_;
  Session session_;
  std::unordered_map<std::string, Worker> workers_;
  std::list<Worker> retired_;
  std::uint64_t connections_ = 0;
  int failures_ = 0;
  bool welcomed_ = false;
};

}  // namespace

Client::Client(Config config) : config_(std::move(config)), inbox_(std::make_shared<Inbox>()) {}

v1::GetGameResponse Client::game(const std::string& id) const {
  config_.check();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  if (!config_.token.empty()) context.AddMetadata("authorization", "Bearer " + config_.token);
  v1::GetGameRequest request;
  request.set_game(id);
  v1::GetGameResponse response;
  const auto status = v1::CatalogService::NewStub(config_.channel())->GetGame(&context, request, &response);
  if (!status.ok()) throw Error::from_status(status);
  return response;
}

void Client::play(MakeBot make) {
  config_.check();
  std::optional<LeaveOnSignals> signals;
  if (config_.leave_on_signals) signals.emplace(inbox_);
  Player(config_, std::move(make), inbox_).play();
}

void Client::leave() { inbox_->put(LeaveAsked{}); }

}  // namespace palio
