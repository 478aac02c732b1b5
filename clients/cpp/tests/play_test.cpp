// The client against a scripted server in the same process.

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <future>
#include <mutex>
#include <optional>

#include "messages.h"
#include "palio/client.h"
#include "palio/v1/play.grpc.pb.h"

namespace palio {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;

// One stream that a bot opened. Its server-side handler runs until close().
class Peer {
 public:
  using Stream = grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>;

  explicit Peer(Stream* stream) : stream_(stream) {}

  // The next message of the bot.
  v1::PlayRequest hear() {
    v1::PlayRequest request;
    EXPECT_TRUE(stream_->Read(&request)) << "the bot ended the stream";
    return request;
  }

  void say(std::vector<v1::Update> updates) {
    v1::PlayResponse response;
    for (auto& update : updates) *response.add_updates() = std::move(update);
    stream_->Write(response);
  }

  // The bot's Hello, answered with Welcome.
  v1::Hello greet() {
    auto hello = hear().hello();
    auto welcome = update("", 0);
    welcome.mutable_welcome()->set_protocol_version(1);
    say({welcome});
    return hello;
  }

  void close(grpc::Status status = grpc::Status::OK) { closed_.set_value(status); }
  void say_goodbye(v1::GoodbyeReason reason) {
    say({goodbye(reason)});
    close();
  }
  grpc::Status wait() { return closed_.get_future().get(); }

 private:
  Stream* stream_;
  std::promise<grpc::Status> closed_;
};

// A server on a free port.
class Server : public v1::PlayService::Service {
 public:
  Server() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    config.server = "127.0.0.1:" + std::to_string(port);
    config.token = "secret";
    config.leave_on_signals = false;
  }
  ~Server() override { server_->Shutdown(std::chrono::system_clock::now() + 1s); }

  // The next stream that a bot opens.
  std::shared_ptr<Peer> accept() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 20s, [this] { return !peers_.empty(); })) << "no bot came";
    auto peer = peers_.front();
    peers_.pop_front();
    return peer;
  }

  grpc::Status Play(grpc::ServerContext*, Peer::Stream* stream) override {
    auto peer = std::make_shared<Peer>(stream);
    {
      std::lock_guard lock(mutex_);
      peers_.push_back(peer);
    }
    changed_.notify_one();
    return peer->wait();
  }

  Config config;

 private:
  std::unique_ptr<grpc::Server> server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Peer>> peers_;
};

// Plays on a thread of its own.
std::future<void> play(Client& client, MakeBot make) {
  return std::async(std::launch::async, [&client, make = std::move(make)] { client.play(make); });
}

MakeBot always(int option) {
  return [option](const Match&) { return make_bot([option](const Decision&) { return option; }); };
}

std::optional<Error> error_of(std::future<void> playing) {
  try {
    playing.get();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// Takes the last option, and notes what it is told.
struct Noting : Bot {
  explicit Noting(std::vector<std::string>& notes) : notes(notes) {}
  int choose(const Decision& decision) override {
    notes.push_back("asked " + std::to_string(decision.id()));
    return decision.size() - 1;
  }
  void observe(const Events& events) override { notes.push_back("saw " + std::to_string(events.size())); }
  void rejected(const v1::ChoiceRejected& it) override {
    notes.push_back("rejected " + std::to_string(it.decision_id()));
  }
  void seat_status(const v1::SeatStatus& status) override { notes.push_back("seat " + std::to_string(status.seat())); }
  void ended(const v1::MatchEnded&) override {
    // The end is told even when the session ends at the same moment.
    std::this_thread::sleep_for(20ms);
    notes.push_back("ended");
  }
  std::vector<std::string>& notes;
};

TEST(Play, AMatchFromHelloToGoodbye) {
  Server server;
  server.config.matches = 1;
  server.config.bot_name = "plus";
  server.config.games = {"g"};
  Client client(server.config);
  std::vector<std::string> notes;
  auto playing = play(client, [&](const Match&) { return std::make_unique<Noting>(notes); });
  auto peer = server.accept();
  const auto hello = peer->greet();
  EXPECT_EQ(hello.token(), "secret");
  EXPECT_EQ(hello.bot_name(), "plus");
  EXPECT_EQ(hello.protocol_version(), 1);
  EXPECT_EQ(hello.max_concurrent_matches(), 8);
  EXPECT_TRUE(hello.games_size() == 1 && hello.games(0) == "g");
  EXPECT_TRUE(hello.sdk().starts_with("palio-cpp/")) << hello.sdk();
  EXPECT_TRUE(hello.resume().empty());
  peer->say({started("m", 1)});
  EXPECT_EQ(words(peer->hear()), "ready m");
  auto events = update("m", 2);
  events.mutable_events()->add_events();
  auto status = update("m", 3);
  status.mutable_seat_status()->set_seat(1);
  peer->say({events, status, decision("m", 4, 1)});
  EXPECT_EQ(words(peer->hear()), "choose m 1 2");
  peer->say({rejected("m", 5, 1, v1::REJECTION_REASON_ILLEGAL, 1)});
  EXPECT_EQ(words(peer->hear()), "choose m 1 2");
  peer->say({accepted("m", 6, 1), ended("m", 7)});
  EXPECT_EQ(words(peer->hear()), "leave");
  peer->say_goodbye(v1::GOODBYE_REASON_LEFT);
  playing.get();
  EXPECT_EQ(notes, (std::vector<std::string>{"saw 1", "seat 1", "asked 1", "rejected 1", "asked 1", "ended"}));
}

TEST(Play, AThinkingBotHoldsUpNeitherPingsNorOtherMatches) {
  Server server;
  Client client(server.config);
  std::promise<void> release;
  auto released = release.get_future().share();
  auto playing = play(client, [released](const Match& match) {
    return make_bot([released, slow = match.id() == "slow"](const Decision&) {
      if (slow) released.wait();
      return 1;
    });
  });
  auto peer = server.accept();
  peer->greet();
  peer->say({started("slow", 1), decision("slow", 2, 1)});
  EXPECT_EQ(words(peer->hear()), "ready slow");
  auto ping = update("", 0);
  ping.mutable_ping()->set_nonce(7);
  peer->say({ping});
  EXPECT_EQ(words(peer->hear()), "pong 7");
  peer->say({started("quick", 1), decision("quick", 2, 1)});
  EXPECT_EQ(words(peer->hear()), "ready quick");
  EXPECT_EQ(words(peer->hear()), "choose quick 1 1");
  release.set_value();
  EXPECT_EQ(words(peer->hear()), "choose slow 1 1");
  peer->say_goodbye(v1::GOODBYE_REASON_LEFT);
  playing.get();
}

TEST(Play, ExceptionsResignTheMatchOnly) {
  Server server;
  Client client(server.config);
  auto playing = play(client, [](const Match& match) -> std::unique_ptr<Bot> {
    if (match.id() == "unmade") throw std::runtime_error("meant to fail");
    if (match.id() == "null") return nullptr;
    return make_bot([id = match.id()](const Decision&) -> int {
      if (id == "error") throw std::runtime_error("meant to fail");
      if (id == "odd") throw 7;
      return 0;
    });
  });
  auto peer = server.accept();
  peer->greet();
  for (const std::string id : {"error", "odd"}) {
    peer->say({started(id, 1), decision(id, 2, 1)});
    EXPECT_EQ(words(peer->hear()), "ready " + id);
    EXPECT_EQ(words(peer->hear()), "resign " + id);
  }
  for (const std::string id : {"unmade", "null"}) {
    peer->say({started(id, 1)});
    EXPECT_EQ(words(peer->hear()), "resign " + id);
  }
  peer->say({started("fine", 1), decision("fine", 2, 1)});
  EXPECT_EQ(words(peer->hear()), "ready fine");
  EXPECT_EQ(words(peer->hear()), "choose fine 1 0");
  peer->say_goodbye(v1::GOODBYE_REASON_LEFT);
  playing.get();
}

TEST(Play, ALostConnectionIsTakenUpAgain) {
  Server server;
  Client client(server.config);
  auto playing = play(client, always(2));
  auto peer = server.accept();
  peer->greet();
  peer->say({started("m", 1), decision("m", 2, 1)});
  EXPECT_EQ(words(peer->hear()), "ready m");
  EXPECT_EQ(words(peer->hear()), "choose m 1 2");
  peer->close(grpc::Status(grpc::UNAVAILABLE, "test"));
  // The choice may be lost: it is said again. The second stream ends without a goodbye, the third by draining.
  peer = server.accept();
  EXPECT_EQ(peer->greet().resume().at("m"), 2u);
  EXPECT_EQ(words(peer->hear()), "choose m 1 2");
  peer->say({decision("m", 2, 1), accepted("m", 3, 1), ended("m", 4), started("n", 1)});
  EXPECT_EQ(words(peer->hear()), "ready n");
  peer->close();
  peer = server.accept();
  const auto resume = peer->greet().resume();
  EXPECT_TRUE(resume.size() == 1 && resume.at("n") == 1u);
  EXPECT_EQ(words(peer->hear()), "ready n");
  peer->say_goodbye(v1::GOODBYE_REASON_DRAINING);
  peer = server.accept();
  peer->greet();
  peer->say_goodbye(v1::GOODBYE_REASON_LEFT);
  playing.get();
}

TEST(Play, ARefusalIsFinal) {
  Server server;
  Client client(server.config);
  auto playing = play(client, always(0));
  server.accept()->close(grpc::Status(grpc::UNAUTHENTICATED, "who are you?"));
  const auto error = error_of(std::move(playing));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), grpc::UNAUTHENTICATED);
  EXPECT_EQ(error->message(), "who are you?");
}

TEST(Play, AReplacedSessionStops) {
  Server server;
  Client client(server.config);
  auto playing = play(client, always(0));
  auto peer = server.accept();
  peer->greet();
  peer->say_goodbye(v1::GOODBYE_REASON_REPLACED);
  const auto error = error_of(std::move(playing));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason(), "REPLACED");
}

TEST(Play, AServerThatIsNotThereIsGivenUp) {
  Config config;
  {
    Server server;
    config = server.config;
  }
  config.give_up_after = 300ms;
  Client client(config);
  const auto error = error_of(play(client, always(0)));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), grpc::UNAVAILABLE);
  EXPECT_NE(error->message().find("gave up after 300 ms"), std::string::npos) << error->message();
}

TEST(Play, LeavingWithoutAMatchEndsTheSession) {
  Server server;
  Client client(server.config);
  auto playing = play(client, always(0));
  auto peer = server.accept();
  peer->greet();
  client.leave();
  EXPECT_EQ(words(peer->hear()), "leave");
  peer->say_goodbye(v1::GOODBYE_REASON_LEFT);
  playing.get();
}

TEST(Play, ASignalLeavesAndASecondOneStops) {
  Server server;
  server.config.leave_on_signals = true;
  Client client(server.config);
  auto playing = play(client, always(0));
  auto peer = server.accept();
  peer->greet();
  peer->say({started("m", 1)});
  EXPECT_EQ(words(peer->hear()), "ready m");
  std::raise(SIGTERM);
  EXPECT_EQ(words(peer->hear()), "leave");
  std::raise(SIGINT);
  const auto error = error_of(std::move(playing));
  peer->close();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason(), "INTERRUPTED");
}

TEST(Play, ASilentServerIsTakenForLost) {
  Server server;
  Client client(server.config);
  auto playing = play(client, always(0));
  auto silent = server.accept();
  silent->hear();
  auto welcome = update("", 0);
  welcome.mutable_welcome()->mutable_heartbeat()->set_nanos(20'000'000);
  silent->say({welcome});
  // The bot comes back by itself while this stream is still open.
  auto peer = server.accept();
  peer->greet();
  peer->say_goodbye(v1::GOODBYE_REASON_LEFT);
  playing.get();
  silent->close();
}

TEST(Play, TheDeadlineIsVisible) {
  v1::Decision message;
  EXPECT_FALSE(Decision(message).remaining());
  message.mutable_clock()->mutable_remaining()->set_seconds(100);
  const auto remaining = Decision(message).remaining();
  ASSERT_TRUE(remaining);
  EXPECT_TRUE(*remaining <= 100s && *remaining > 50s);
  message.mutable_clock()->mutable_remaining()->set_seconds(-1);
  EXPECT_EQ(Decision(message).remaining(), Decision::Clock::duration::zero());
}

}  // namespace
}  // namespace palio
