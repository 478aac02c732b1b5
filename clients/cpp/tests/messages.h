// Short ways to make messages.
#pragma once

#include <cstdint>
#include <string>

#include "palio/v1/play.pb.h"

namespace palio::testing_support {

inline v1::Update update(const std::string& match_id, std::uint64_t seq) {
  v1::Update update;
  update.set_match_id(match_id);
  update.set_seq(seq);
  return update;
}

inline v1::Update started(const std::string& match_id, std::uint64_t seq, int attempt = 1) {
  auto made = update(match_id, seq);
  made.mutable_match_started()->set_attempt(attempt);
  return made;
}

// A decision with three options.
inline v1::Update decision(const std::string& match_id, std::uint64_t seq, std::uint64_t decision_id) {
  auto made = update(match_id, seq);
  made.mutable_decision()->set_decision_id(decision_id);
  for (int index = 0; index < 3; ++index) made.mutable_decision()->add_options();
  return made;
}

inline v1::Update accepted(const std::string& match_id, std::uint64_t seq, std::uint64_t decision_id) {
  auto made = update(match_id, seq);
  made.mutable_choice_accepted()->set_decision_id(decision_id);
  return made;
}

inline v1::Update rejected(const std::string& match_id, std::uint64_t seq, std::uint64_t decision_id,
                           v1::RejectionReason reason, int tries_left) {
  auto made = update(match_id, seq);
  made.mutable_choice_rejected()->set_decision_id(decision_id);
  made.mutable_choice_rejected()->set_reason(reason);
  made.mutable_choice_rejected()->set_tries_left(tries_left);
  return made;
}

inline v1::Update ended(const std::string& match_id, std::uint64_t seq) {
  auto made = update(match_id, seq);
  made.mutable_match_ended();
  return made;
}

inline v1::Update goodbye(v1::GoodbyeReason reason) {
  auto made = update("", 0);
  made.mutable_goodbye()->set_reason(reason);
  return made;
}

// A request in a few words, to compare with: "ready m", "choose m 1 2", "resign m", "pong 7", "leave", "hello".
inline std::string words(const v1::PlayRequest& request) {
  switch (request.message_case()) {
    case v1::PlayRequest::kHello:
      return "hello";
    case v1::PlayRequest::kReady:
      return "ready " + request.ready().match_id();
    case v1::PlayRequest::kChoose:
      return "choose " + request.choose().match_id() + " " + std::to_string(request.choose().decision_id()) + " " +
             std::to_string(request.choose().option());
    case v1::PlayRequest::kResign:
      return "resign " + request.resign().match_id();
    case v1::PlayRequest::kPong:
      return "pong " + std::to_string(request.pong().nonce());
    case v1::PlayRequest::kLeave:
      return "leave";
    default:
      return "?";
  }
}

}  // namespace palio::testing_support
