#include "signals.h"

#include <unistd.h>

#include <atomic>
#include <utility>

namespace palio {
namespace {

// A signal handler may do little more than write to a pipe.
std::atomic<int> write_end{-1};

void on_signal(int) {
  const char byte = 's';
  [[maybe_unused]] const auto written = write(write_end.load(), &byte, 1);
}

}  // namespace

LeaveOnSignals::LeaveOnSignals(std::shared_ptr<Inbox> inbox) {
  int ends[2];
  if (write_end.load() != -1 || pipe(ends) != 0) return;
  read_end_ = ends[0];
  write_end.store(ends[1]);
  thread_ = std::thread([read_end = read_end_, inbox = std::move(inbox)] {
    char byte = 0;
    for (int signals = 0; read(read_end, &byte, 1) == 1 && byte == 's'; ++signals) {
      inbox->put(signals == 0 ? Letter(LeaveAsked{}) : Letter(Interrupted{}));
    }
  });
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

LeaveOnSignals::~LeaveOnSignals() {
  if (read_end_ == -1) return;
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  close(write_end.exchange(-1));  // ends the thread's read
  thread_.join();
  close(read_end_);
}

}  // namespace palio
