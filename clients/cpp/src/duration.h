#pragma once

#include <google/protobuf/duration.pb.h>

#include <algorithm>
#include <chrono>

namespace palio {

// A protobuf duration; a negative one counts as zero, one of more than a century as a century.
inline std::chrono::nanoseconds to_chrono(const google::protobuf::Duration& value) {
  constexpr std::int64_t kCentury = 100LL * 366 * 24 * 3600;
  if (value.seconds() < 0 || value.nanos() < 0) return {};
  return std::chrono::seconds(std::min<std::int64_t>(value.seconds(), kCentury)) +
         std::chrono::nanoseconds(value.nanos());
}

}  // namespace palio
