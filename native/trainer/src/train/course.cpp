#include "train/course.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace ws {
namespace {

// The visits of one rank, grouped by (step, forward) in the order of their first visit.
std::vector<Forward> forwards_of(const io::PlanOrder& order, int64_t rank, int64_t first_ordinal, int64_t first_step) {
  std::vector<Forward> out;
  std::map<std::pair<int32_t, int32_t>, size_t> place;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.rank[i] != rank) continue;
    const auto [at, fresh] = place.emplace(std::pair{order.step[i], order.forward[i]}, out.size());
    if (fresh) out.emplace_back();
    out[at->second].visits.push_back({first_ordinal + static_cast<int64_t>(i), first_step + order.step[i], order.row[i],
                                      order.role[i], order.epoch[i], order.coefficient[i]});
  }
  return out;
}

}  // namespace

Course course_of(const io::Plan& plan, int64_t rank) {
  Course course;
  for (size_t p = 0; p < plan.phases.size(); ++p) {
    const io::PlanPhase& phase = plan.phases[p];
    std::vector<Forward> forwards = forwards_of(phase.order, rank, course.visits, course.steps);
    std::set<int64_t> ends{course.visits};
    int64_t done = course.visits, last = 0;
    for (size_t i = 0; i < forwards.size(); ++i) {
      Forward& forward = forwards[i];
      done += static_cast<int64_t>(forward.visits.size());
      forward.rows_after = done;
      forward.ends_step = i + 1 == forwards.size() || forwards[i + 1].visits[0].step != forward.visits[0].step;
      // Forwards may interleave; what lies before this point is then not the first `done` ordinals, and nothing may happen here.
      last = std::max(last, forward.visits.back().ordinal + 1);
      if (last == done) ends.insert(done);
    }
    for (const io::PlanAction& action : phase.actions) {
      const int64_t at = course.visits + action.after_rows;
      if (!ends.contains(at))
        throw Error(Fault::plan, "plan-invalid",
                    plan.file + ": phases[" + std::to_string(p) + "].actions: after_rows " + std::to_string(action.after_rows) +
                        " falls inside a forward of several rows",
                    "Give the visits before and after that point different numbers in order.forward.");
      const bool final = p + 1 == plan.phases.size() && action.after_rows == static_cast<int64_t>(phase.order.size());
      course.actions.push_back({at, action.save, final, action.evaluate});
    }
    course.visits += static_cast<int64_t>(phase.order.size());
    course.steps += phase.steps;
    course.forwards.insert(course.forwards.end(), std::make_move_iterator(forwards.begin()),
                           std::make_move_iterator(forwards.end()));
  }
  return course;
}

}  // namespace ws
