// The plumbing of files that only ever grow: a record is one write(), and what was torn off is cut away.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace ws::io {

// Opens for appending and reading; makes the file if it is not there. Throws ws::Error (file_system).
int open_for_append(const std::string& path);

// All of it, or nothing: what was written of a record that did not fit is cut off again before the ws::Error (file_system) is
// thrown.
void append_record(int descriptor, const std::string& path, const void* data, size_t bytes);

int64_t file_size(int descriptor, const std::string& path);
void cut_file(int descriptor, const std::string& path, int64_t size);
// Reads up to `bytes` at `offset`; fewer only at the end of the file.
size_t read_at(int descriptor, const std::string& path, void* into, size_t bytes, int64_t offset);

}  // namespace ws::io
