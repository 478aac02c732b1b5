#include "session.h"

#include <gtest/gtest.h>

#include "messages.h"

namespace palio {
namespace {

using namespace testing_support;
using Words = std::vector<std::string>;

// What the session wants sent.
Words sent(Session& session) {
  Words requests;
  for (const Effect& effect : session.take_effects()) {
    if (const auto* send = std::get_if<SendRequest>(&effect)) requests.push_back(words(send->request));
  }
  return requests;
}

// Ids of the decisions that workers are asked.
std::vector<std::uint64_t> asked(Session& session) {
  std::vector<std::uint64_t> ids;
  for (const Effect& effect : session.take_effects()) {
    const auto* tell = std::get_if<TellWorker>(&effect);
    if (const auto* decision = tell ? std::get_if<Decision>(&tell->task) : nullptr) ids.push_back(decision->id());
  }
  return ids;
}

// Numbers of the workers to be started.
std::vector<std::uint64_t> starting(Session& session) {
  std::vector<std::uint64_t> keys;
  for (const Effect& effect : session.take_effects()) {
    if (const auto* start = std::get_if<StartWorker>(&effect)) keys.push_back(start->key);
  }
  return keys;
}

using Asked = std::vector<std::uint64_t>;

// A session with a connection, and with matches that have started and are prepared.
Session playing(const std::vector<std::string>& ids) {
  Session session(std::nullopt);
  session.welcomed();
  std::uint64_t key = 0;
  for (const auto& id : ids) {
    EXPECT_EQ(session.update(started(id, 1)).kind, Flow::kContinue);
    session.report({id, ++key, Prepared{}});
    EXPECT_EQ(sent(session), Words{"ready " + id});
  }
  return session;
}

TEST(Session, ADecisionIsAnsweredOnce) {
  auto session = playing({"m"});
  session.update(decision("m", 2, 1));
  EXPECT_EQ(asked(session), Asked{1});
  session.report({"m", 1, Chose{1, 2}});
  session.report({"m", 1, Chose{1, 0}});
  EXPECT_EQ(sent(session), Words{"choose m 1 2"});
}

TEST(Session, DuplicatesAreIgnored) {
  auto session = playing({"m"});
  for (int time = 0; time < 3; ++time) session.update(decision("m", 2, 1));
  EXPECT_EQ(asked(session), Asked{1});
  session.update(ended("m", 3));
  session.take_effects();
  for (const auto& late : {started("m", 1), decision("m", 2, 1), ended("m", 3)}) {
    EXPECT_EQ(session.update(late).kind, Flow::kContinue);
  }
  EXPECT_TRUE(session.take_effects().empty());
  EXPECT_TRUE(session.resume().empty());
}

TEST(Session, AGapAsksForWhatWasMissed) {
  auto session = playing({"m"});
  EXPECT_EQ(session.update(decision("m", 3, 1)).kind, Flow::kReconnect);
  EXPECT_EQ(session.resume().at("m"), 1u);
  // A match whose beginning was missed is asked for from its beginning.
  EXPECT_EQ(session.update(decision("n", 2, 1)).kind, Flow::kReconnect);
  EXPECT_EQ(session.update(started("n", 2)).kind, Flow::kReconnect);
  EXPECT_TRUE(asked(session).empty());
  session.update(started("n", 1));
  EXPECT_EQ(starting(session).size(), 1u);
}

TEST(Session, WhatALostConnectionMayHaveSwallowedIsSaidAgain) {
  auto session = playing({"m"});
  session.disconnected();
  session.welcomed();
  EXPECT_EQ(sent(session), Words{"ready m"});
  session.update(decision("m", 2, 1));
  session.report({"m", 1, Chose{1, 2}});
  EXPECT_EQ(sent(session), Words{"choose m 1 2"});
  session.disconnected();
  session.welcomed();
  EXPECT_EQ(sent(session), Words{"choose m 1 2"});
  session.update(accepted("m", 3, 1));
  session.leave();
  session.disconnected();
  session.take_effects();
  session.welcomed();
  EXPECT_EQ(sent(session), Words{"leave"});
}

TEST(Session, AnAnswerThatComesWithoutAConnectionIsSentWithTheNext) {
  auto session = playing({"m"});
  session.update(decision("m", 2, 1));
  session.disconnected();
  session.report({"m", 1, Chose{1, 2}});
  EXPECT_TRUE(sent(session).empty());
  session.welcomed();
  EXPECT_EQ(sent(session), Words{"choose m 1 2"});
}

TEST(Session, ADecisionThatIsSettledAlreadyIsNotAnswered) {
  auto session = playing({"m"});
  session.update(decision("m", 2, 1));
  session.update(accepted("m", 3, 1));
  session.report({"m", 1, Chose{1, 2}});
  EXPECT_TRUE(sent(session).empty());
  auto history = decision("m", 4, 2);
  history.mutable_decision()->set_answered(0);
  session.update(history);
  EXPECT_TRUE(asked(session).empty());
}

TEST(Session, ADecisionThatIsAskedAgainIsAnsweredAsBefore) {
  auto session = playing({"m"});
  session.update(decision("m", 2, 1));
  session.update(decision("m", 3, 1));
  EXPECT_EQ(asked(session), Asked{1});
  session.report({"m", 1, Chose{1, 2}});
  session.update(decision("m", 4, 1));
  EXPECT_EQ(sent(session), (Words{"choose m 1 2", "choose m 1 2"}));
}

TEST(Session, ARejectedChoiceIsAskedAgainWhileTriesAreLeft) {
  struct Case {
    v1::RejectionReason reason;
    int tries_left;
    bool again;
  };
  for (const auto& [reason, tries_left, again] :
       {Case{v1::REJECTION_REASON_ILLEGAL, 1, true}, Case{v1::REJECTION_REASON_UNREADABLE, 2, true},
        Case{v1::REJECTION_REASON_NOT_YOURS, 1, true}, Case{v1::REJECTION_REASON_ILLEGAL, 0, false},
        Case{v1::REJECTION_REASON_STALE, 1, false}, Case{static_cast<v1::RejectionReason>(99), 1, false}}) {
    auto session = playing({"m"});
    session.update(decision("m", 2, 1));
    session.report({"m", 1, Chose{1, 7}});
    session.take_effects();
    session.update(rejected("m", 3, 1, reason, tries_left));
    EXPECT_EQ(asked(session) == Asked{1}, again) << reason << " " << tries_left;
    session.report({"m", 1, Chose{1, 0}});
    EXPECT_EQ(sent(session) == Words{"choose m 1 0"}, again) << reason << " " << tries_left;
  }
}

TEST(Session, ARejectionWhileTheBotThinksDoesNotAskTwice) {
  auto session = playing({"m"});
  session.update(decision("m", 2, 1));
  session.take_effects();
  session.update(rejected("m", 3, 1, v1::REJECTION_REASON_ILLEGAL, 1));
  EXPECT_TRUE(asked(session).empty());
}

TEST(Session, AFailedBotResignsItsMatchAndNoOther) {
  auto session = playing({"m", "n"});
  session.update(decision("m", 2, 1));
  session.update(decision("n", 2, 1));
  session.take_effects();
  session.report({"m", 1, Failed{"oops"}});
  EXPECT_EQ(sent(session), Words{"resign m"});
  session.update(decision("m", 3, 2));
  EXPECT_TRUE(asked(session).empty());
  session.report({"n", 2, Chose{1, 1}});
  EXPECT_EQ(sent(session), Words{"choose n 1 1"});
}

TEST(Session, AVoidMatchComesAgainUnderTheSameId) {
  auto session = playing({"m"});
  session.update(decision("m", 2, 1));
  session.update(ended("m", 3));
  session.take_effects();
  session.update(started("m", 1));
  session.update(started("m", 1, 2));
  EXPECT_EQ(starting(session), Asked{2});
  session.update(decision("m", 2, 1));
  session.take_effects();
  // The first attempt's bot comes too late.
  session.report({"m", 1, Chose{1, 2}});
  EXPECT_TRUE(sent(session).empty());
  // The end of the second attempt is not heard of.
  session.update(started("m", 1, 3));
  EXPECT_EQ(starting(session), Asked{3});
  EXPECT_EQ(session.resume().at("m"), 1u);
}

TEST(Session, TheBotLeavesAfterItsLastMatch) {
  Session session(2);
  session.welcomed();
  for (const auto& [id, leaves] : {std::pair("a", false), std::pair("b", true)}) {
    session.update(started(id, 1));
    session.update(ended(id, 2));
    EXPECT_EQ(sent(session) == Words{"leave"}, leaves) << id;
  }
  EXPECT_TRUE(session.idle_and_leaving());
}

TEST(Session, GoodbyesDiffer) {
  Session session(std::nullopt);
  for (const auto reason : {v1::GOODBYE_REASON_DRAINING, v1::GOODBYE_REASON_UNRESPONSIVE,
                            v1::GOODBYE_REASON_UNSPECIFIED, static_cast<v1::GoodbyeReason>(99)}) {
    EXPECT_EQ(session.update(goodbye(reason)).kind, Flow::kReconnect) << reason;
  }
  EXPECT_EQ(session.update(goodbye(v1::GOODBYE_REASON_LEFT)).kind, Flow::kLeft);
  EXPECT_EQ(session.update(goodbye(v1::GOODBYE_REASON_REPLACED)).error->reason(), "REPLACED");
  const Flow flow = session.update(goodbye(v1::GOODBYE_REASON_PROTOCOL));
  EXPECT_EQ(flow.kind, Flow::kFail);
  EXPECT_EQ(flow.error->reason(), "PROTOCOL");
}

TEST(Session, AGoodbyeMaySayWhereToGo) {
  Session session(std::nullopt);
  auto moved = goodbye(v1::GOODBYE_REASON_MOVED);
  EXPECT_EQ(session.update(moved).kind, Flow::kReconnect);
  moved.mutable_goodbye()->set_address("there:7701");
  const Flow flow = session.update(moved);
  EXPECT_EQ(flow.kind, Flow::kMoved);
  EXPECT_EQ(flow.address, "there:7701");
}

TEST(Session, WhatALaterVersionSaysIsBorne) {
  auto session = playing({"m"});
  EXPECT_EQ(session.update(update("", 0)).kind, Flow::kContinue);
  EXPECT_EQ(session.update(update("m", 2)).kind, Flow::kContinue);
  EXPECT_EQ(session.update(decision("m", 3, 1)).kind, Flow::kContinue);
  EXPECT_EQ(asked(session), Asked{1});
}

}  // namespace
}  // namespace palio
