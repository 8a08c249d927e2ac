// What a run leaves in its output folder: adapters that PEFT and vLLM load, the meta file, and the promise that a folder holds
// one run.
#pragma once
#include <cstdint>
#include <string>

#include "io/plan.hpp"
#include "lora/adapter.hpp"

namespace ws {

// Refuses an output folder that holds another run's files. `resuming`: this plan has already run in it, so its own files may be
// there. Throws ws::Error (file_system, "output-holds-run").
void check_output_folder(const io::Plan& plan, bool resuming);

// Writes the adapter, adapter_config.json, whetstone.json and DONE (last): into <out>/<name>, or into <out> itself when it is the
// `final` one. Returns the folder. Throws ws::Error (file_system).
std::string save_checkpoint(const io::Plan& plan, const Adapter& adapter, const std::string& name, bool final, int64_t rows,
                            int64_t step);

}  // namespace ws
