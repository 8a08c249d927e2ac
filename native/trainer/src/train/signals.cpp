#include "train/signals.hpp"

#include <unistd.h>
#include <csignal>

namespace ws {
namespace {

volatile std::sig_atomic_t requests = 0;

void on_signal(int number) {
  requests = requests + 1;
  if (requests > 1) ::_exit(128 + number);
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool stop_requested() { return requests > 0; }
void request_stop() { requests = 1; }

}  // namespace ws
