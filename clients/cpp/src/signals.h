// Leaving gracefully when the program is told to stop.
#pragma once

#include <csignal>
#include <memory>
#include <thread>

#include "inbox.h"

namespace palio {

// While it lives, the first SIGINT or SIGTERM puts LeaveAsked into the inbox and the second one Interrupted. Only one
// may live at a time; a second one does nothing.
class LeaveOnSignals {
 public:
  explicit LeaveOnSignals(std::shared_ptr<Inbox> inbox);
  ~LeaveOnSignals();
  LeaveOnSignals(const LeaveOnSignals&) = delete;
  LeaveOnSignals& operator=(const LeaveOnSignals&) = delete;

 private:
  int read_end_ = -1;
  struct sigaction interrupt_ = {}, terminate_ = {};
  std::thread thread_;
};

}  // namespace palio
