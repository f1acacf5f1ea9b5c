// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/errors.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cqsim::tb {
namespace {

std::string joined(const std::vector<ScenarioError>& errors) {
    std::string text;
    for (const ScenarioError& error : errors) {
        text += (text.empty() ? "" : "\n") + error.text();
    }
    return text;
}

}  // namespace

std::string to_string(const SourcePosition& where) {
    if (where.line == 0) {
        return where.file;
    }
    return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

std::string ScenarioError::text() const {
    return to_string(where) + ": " + message + (hint.empty() ? "" : "; " + hint);
}

ScenarioErrors::ScenarioErrors(std::vector<ScenarioError> errors)
    : std::runtime_error(joined(errors)),
      m_errors(std::move(errors)) {
}

void ErrorList::add(SourcePosition where, std::string message, std::string hint) {
    ++m_count;
    if (m_errors.size() < kMax) {
        m_errors.push_back({std::move(where), std::move(message), std::move(hint)});
    }
}

bool ErrorList::has_at(const SourcePosition& where) const {
    return std::any_of(m_errors.begin(), m_errors.end(), [&](const ScenarioError& error) {
        return error.where.file == where.file && error.where.line == where.line &&
               error.where.column == where.column;
    });
}

void ErrorList::throw_if_any() const {
    if (m_errors.empty()) {
        return;
    }
    std::vector<ScenarioError> sorted = m_errors;
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& l, const auto& r) {
        return std::make_tuple(l.where.line == 0, l.where.line, l.where.column) <
               std::make_tuple(r.where.line == 0, r.where.line, r.where.column);
    });
    if (m_count > sorted.size()) {
        SourcePosition file{sorted.front().where.file};
        sorted.push_back({std::move(file),
                          "and " + std::to_string(m_count - sorted.size()) + " more mistakes",
                          {}});
    }
    throw ScenarioErrors(std::move(sorted));
}

}  // namespace cqsim::tb
