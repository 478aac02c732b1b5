#include "palio/decision.h"

#include <algorithm>
#include <utility>

#include "duration.h"

namespace palio {

Match::Match(std::string id, std::shared_ptr<const v1::MatchStarted> started, Say say)
    : id_(std::move(id)), started_(std::move(started)), say_(std::move(say)) {}

void Match::signal(const v1::Words& words) const {
  v1::PlayRequest request;
  request.mutable_signal()->set_match_id(id_);
  *request.mutable_signal()->mutable_words() = words;
  say_(std::move(request));
}

void Match::resign() const {
  v1::PlayRequest request;
  request.mutable_resign()->set_match_id(id_);
  say_(std::move(request));
}

Decision::Decision(v1::Decision message)
    : message_(std::make_shared<const v1::Decision>(std::move(message))), arrived_(Clock::now()) {}

std::optional<Decision::Clock::time_point> Decision::deadline() const {
  if (!message_->clock().has_remaining()) return std::nullopt;
  return arrived_ + to_chrono(message_->clock().remaining());
}

std::optional<Decision::Clock::duration> Decision::remaining() const {
  const auto end = deadline();
  if (!end) return std::nullopt;
  return std::max(*end - Clock::now(), Clock::duration::zero());
}

const fidelitas::v1::Observation* Decision::fidelitas() const {
  return message_->observation().has_fidelitas() ? &message_->observation().fidelitas() : nullptr;
}

const feudum::v1::Observation* Decision::feudum() const {
  return message_->observation().has_feudum() ? &message_->observation().feudum() : nullptr;
}

}  // namespace palio
