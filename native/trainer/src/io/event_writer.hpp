// Appends to events.jsonl (docs/formats/events.md): one object a line, one write() a line, so that a reader at the other end
// never sees half a line in the middle and a killed process leaves at most a torn tail, which the next writer cuts off.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace ws::io {

class EventWriter {
 public:
  // Opens or makes the file, cuts a torn tail, and numbers the next event `next_seq` (see next_event_seq). Throws ws::Error
  // (file_system).
  EventWriter(std::string path, int64_t next_seq);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Writes {"v": 1, "seq", "time", "kind", then `fields` in their order}. Returns the seq that it got. Throws ws::Error
  // (file_system) when the line cannot be written whole (disk full); the torn part is cut off again, and seq stays.
  int64_t write(std::string_view kind, const json::Object& fields);

  int64_t next_seq() const { return next_seq_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  int64_t next_seq_ = 0;
  std::string line_;
};

// One more than the largest seq of the file's whole lines; 0 when there is no file. A resumed run continues from it: numbers run
// over all segments. Lines that cannot be read are passed over.
int64_t next_event_seq(const std::string& path);

}  // namespace ws::io
