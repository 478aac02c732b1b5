#include "session.h"

#include <algorithm>
#include <utility>

namespace palio {
namespace {

// So many ended matches are remembered, to recognise what comes twice.
constexpr std::size_t kEndedMemory = 10'000;

v1::PlayRequest ready(const std::string& match_id) {
  v1::PlayRequest request;
  request.mutable_ready()->set_match_id(match_id);
  return request;
}

v1::PlayRequest choose(const std::string& match_id, std::uint64_t decision_id, int option) {
  v1::PlayRequest request;
  request.mutable_choose()->set_match_id(match_id);
  request.mutable_choose()->set_decision_id(decision_id);
  request.mutable_choose()->set_option(option);
  return request;
}

v1::PlayRequest resign(const std::string& match_id) {
  v1::PlayRequest request;
  request.mutable_resign()->set_match_id(match_id);
  return request;
}

v1::PlayRequest leave_request() {
  v1::PlayRequest request;
  request.mutable_leave();
  return request;
}

}  // namespace

Flow farewell(const v1::Goodbye& goodbye) {
  switch (goodbye.reason()) {
    case v1::GOODBYE_REASON_LEFT:
      return Flow::left();
    case v1::GOODBYE_REASON_REPLACED:
      return Flow::fail(
          Error(grpc::ABORTED, "REPLACED", "a newer session of this player took over: " + goodbye.text()));
    case v1::GOODBYE_REASON_PROTOCOL:
      return Flow::fail(Error(grpc::FAILED_PRECONDITION, "PROTOCOL", goodbye.text()));
    case v1::GOODBYE_REASON_MOVED:
      if (!goodbye.address().empty()) return Flow::moved(goodbye.address());
      [[fallthrough]];
    default:
      return Flow::reconnect("the server said goodbye: " + goodbye.text());
  }
}

std::map<std::string, std::uint64_t> Session::resume() const {
  std::map<std::string, std::uint64_t> seen;
  for (const auto& [id, seat] : matches_) seen[id] = seat.seq;
  return seen;
}

void Session::welcomed() {
  connected_ = true;
  for (const auto& [id, seat] : matches_) {
    if (seat.resigned) {
      send(resign(id));
    } else if (seat.prepared && !seat.asked) {
      send(ready(id));
    } else if (seat.pending && seat.pending->sent) {
      send(choose(id, seat.pending->decision.id(), *seat.pending->sent));
    }
  }
  if (leaving_) send(leave_request());
}

void Session::leave() {
  if (!std::exchange(leaving_, true)) send(leave_request());
}

Flow Session::update(v1::Update update) {
  if (update.seq() == 0) return about_session(update);
  const std::string match_id = update.match_id();
  const auto known = attempts_.find(match_id);
  if (update.has_match_started() && (known == attempts_.end() || update.match_started().attempt() > known->second)) {
    if (update.seq() != 1) {
      return Flow::reconnect("match " + match_id + " starts with seq " + std::to_string(update.seq()));
    }
    start(match_id, std::move(*update.mutable_match_started()));
    return Flow::go_on();
  }
  const auto found = matches_.find(match_id);
  if (found == matches_.end()) {
    // Known and not running: it is over, and this comes twice.
    if (known != attempts_.end()) return Flow::go_on();
    return Flow::reconnect("match " + match_id + ": seq " + std::to_string(update.seq()) + " came before its start");
  }
  Seat& seat = found->second;
  if (update.seq() > seat.seq + 1) {
    return Flow::reconnect("match " + match_id + ": seq " + std::to_string(update.seq()) + " came after " +
                           std::to_string(seat.seq));
  }
  if (update.seq() == seat.seq + 1) {
    seat.seq = update.seq();
    about_match(match_id, seat, update);
  }
  return Flow::go_on();
}

Flow Session::about_session(v1::Update& update) {
  if (update.has_ping()) {
    v1::PlayRequest request;
    request.mutable_pong()->set_nonce(update.ping().nonce());
    effects_.push_back(SendRequest{std::move(request)});
  } else if (update.has_refused()) {
    refused(update.refused());
  } else if (update.has_goodbye()) {
    return farewell(update.goodbye());
  } else if (update.has_choice_rejected()) {
    const auto found = matches_.find(update.match_id());
    if (found != matches_.end()) rejected(found->first, found->second, update.choice_rejected());
  }
  return Flow::go_on();
}

void Session::about_match(const std::string& match_id, Seat& seat, v1::Update& update) {
  switch (update.message_case()) {
    case v1::Update::kEvents:
      return tell(match_id, std::move(*update.mutable_events()));
    case v1::Update::kSeatStatus:
      return tell(match_id, std::move(*update.mutable_seat_status()));
    case v1::Update::kDecision:
      return decision(match_id, seat, std::move(*update.mutable_decision()));
    case v1::Update::kChoiceAccepted:
      return seat.settle(update.choice_accepted().decision_id());
    case v1::Update::kChoiceRejected:
      return rejected(match_id, seat, update.choice_rejected());
    case v1::Update::kMatchEnded:
      return end(match_id, std::move(*update.mutable_match_ended()));
    case v1::Update::kRefused:
      return refused(update.refused());
    default:
      return;  // a kind of a newer protocol
  }
}

// A match begins, or begins anew after a void attempt whose end was not heard of.
void Session::start(const std::string& match_id, v1::MatchStarted started) {
  attempts_[match_id] = started.attempt();
  Seat seat;
  seat.key = ++workers_;
  seat.seq = 1;
  matches_.insert_or_assign(match_id, std::move(seat));
  effects_.push_back(StartWorker{match_id, workers_, std::make_shared<const v1::MatchStarted>(std::move(started))});
}

void Session::decision(const std::string& match_id, Seat& seat, v1::Decision message) {
  seat.asked = true;
  // History that a resumed session is told: nothing is asked.
  if (message.has_answered()) return seat.settle(message.decision_id());
  if (seat.pending && seat.pending->decision.id() == message.decision_id()) {
    // Asked again: an answer that was sent has been lost, one that was not is still being thought of.
    if (seat.pending->sent) send(choose(match_id, message.decision_id(), *seat.pending->sent));
  } else if (!seat.resigned) {
    seat.pending = Pending{Decision(std::move(message)), std::nullopt};
    tell(match_id, seat.pending->decision);
  }
}

void Session::rejected(const std::string& match_id, Seat& seat, const v1::ChoiceRejected& rejected) {
  switch (rejected.reason()) {
    case v1::REJECTION_REASON_ILLEGAL:
    case v1::REJECTION_REASON_UNREADABLE:
    case v1::REJECTION_REASON_NOT_YOURS:
      break;
    default:
      return;
  }
  log("match " + match_id + ": choice rejected, " + v1::RejectionReason_Name(rejected.reason()) + ": " +
      rejected.text());
  tell(match_id, rejected);
  // Without a sent answer the bot is still thinking; the rejection is of an older message then.
  auto& pending = seat.pending;
  if (pending && pending->decision.id() == rejected.decision_id() && pending->sent && rejected.tries_left() > 0) {
    pending->sent.reset();
    tell(match_id, pending->decision);
  }
}

void Session::end(const std::string& match_id, v1::MatchEnded end) {
  matches_.erase(match_id);
  ended_.push_back(match_id);
  if (ended_.size() > kEndedMemory) {
    const std::string oldest = std::move(ended_.front());
    ended_.pop_front();
    // A void match that was played again is here twice.
    if (!matches_.contains(oldest) && std::find(ended_.begin(), ended_.end(), oldest) == ended_.end()) {
      attempts_.erase(oldest);
    }
  }
  ++finished_;
  tell(match_id, std::move(end));
  effects_.push_back(DropWorker{match_id});
  if (limit_ && finished_ >= *limit_) leave();
}

void Session::report(const Report& report) {
  const auto found = matches_.find(report.match_id);
  const auto* failed = std::get_if<Failed>(&report.said);
  if (found == matches_.end() || found->second.key != report.key) {
    if (failed) log("match " + report.match_id + ": the bot failed after the end: " + failed->text);
    return;
  }
  Seat& seat = found->second;
  if (failed) {
    log("match " + report.match_id + ": the bot failed, so it resigns: " + failed->text);
    seat.resigned = true;
    seat.pending.reset();
    send(resign(report.match_id));
  } else if (std::holds_alternative<Prepared>(report.said)) {
    seat.prepared = true;
    send(ready(report.match_id));
  } else if (const auto* chose = std::get_if<Chose>(&report.said)) {
    if (!seat.pending || seat.pending->decision.id() != chose->decision_id || seat.pending->sent) return;
    seat.pending->sent = chose->option;
    send(choose(report.match_id, chose->decision_id, chose->option));
  } else {
    const auto& request = std::get<v1::PlayRequest>(report.said);
    if (request.has_resign()) {
      seat.resigned = true;
      seat.pending.reset();
    }
    send(request);
  }
}

void Session::refused(const v1::Refused& refused) {
  const std::string at = refused.field().empty() ? "" : " (" + refused.field() + ")";
  log("refused, " + refused.reason() + at + ": " + refused.text());
}

void Session::send(v1::PlayRequest request) {
  if (connected_) effects_.push_back(SendRequest{std::move(request)});
}

}  // namespace palio
