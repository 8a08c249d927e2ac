// A fault that particular row visits caused: the `failed` event lists their ordinals, so that the inspector can open them.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace ws {

class VisitError : public Error {
 public:
  VisitError(Fault fault, std::string code, const std::string& message, std::string hint, std::vector<int64_t> visits)
      : Error(fault, std::move(code), message, std::move(hint)), visits_(std::move(visits)) {}
  const std::vector<int64_t>& visits() const { return visits_; }

 private:
  std::vector<int64_t> visits_;
};

}  // namespace ws
