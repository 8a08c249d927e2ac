// check.hpp for tests that include torch, whose logging has a CHECK of its own that would end the process. Include it instead
// of check.hpp.
#pragma once
#include <ATen/ATen.h>

#undef CHECK
#include "check.hpp"
