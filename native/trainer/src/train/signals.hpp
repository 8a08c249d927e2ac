// Ctrl-C and SIGTERM: the first asks the loop to finish its forward and save, the second ends the process at once.
#pragma once

namespace ws {

void watch_signals();  // SIGINT and SIGTERM; a closed stdout is no longer fatal either (SIGPIPE)
bool stop_requested();
void request_stop();  // what the first signal does: for tests

}  // namespace ws
