// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random small scenarios, as text: what a property test runs, and `cqsim run` runs again.
#pragma once

#include "models/random/random.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb::test {

/// A QP type: what it may post, and what may arrive for it. To draw a new type, add a row to
/// `kDrawnTypes`.
struct DrawnType {
    std::string_view name;
    std::vector<std::string_view> sends;     ///< work request opcodes (ibv_post_send)
    std::vector<std::string_view> messages;  ///< none: no receive queue
    bool receives() const { return !messages.empty(); }
    /// Those of others alone (S2.11).
    bool shares() const { return sends.empty(); }
};

/// A QP group that was drawn; the steps are about its members.
struct DrawnQp {
    std::string name;
    const DrawnType* type = nullptr;
    std::uint32_t count = 1;
    std::string srq{};   ///< empty: it has a receive queue of its own, or none
    bool wired = false;  ///< connected: what it sends ends as its peer answers
};

/// An SRQ group, and where XRC_RECV QPs on it report.
struct DrawnSrq {
    std::string name;
    std::string cq;
};

struct DrawnCq {
    std::string name;
    std::uint32_t count = 1;
    bool by_steps = false;  ///< no loop polls it
};

/// What the parts of a draw share: the dice, the text so far, and what there is.
class Draw {
  public:
    explicit Draw(std::uint64_t seed)
        : m_random(seed, "scenario") {}

    /// Uniform in lowest .. highest.
    std::uint64_t between(std::uint64_t lowest, std::uint64_t highest) {
        return lowest + m_random.below(highest - lowest + 1);
    }
    bool percent(std::uint64_t chance) { return m_random.below(100) < chance; }
    template <class T>
    const T& one_of(const std::vector<T>& choices) {
        return choices[m_random.below(choices.size())];
    }
    template <class T>
    T one_of(std::initializer_list<T> choices) {
        return choices.begin()[m_random.below(choices.size())];
    }

    // The text. A number stands as it is, a word in quotes, a time in ns.
    void table(std::string_view header) { m_text << '\n' << header << '\n'; }
    void number(std::string_view key, std::uint64_t value) {
        m_text << key << " = " << value << '\n';
    }
    void word(std::string_view key, std::string_view value) {
        m_text << key << " = \"" << value << "\"\n";
    }
    void flag(std::string_view key, bool value) {
        m_text << key << " = " << (value ? "true" : "false") << '\n';
    }
    void ns(std::string_view key, std::uint64_t value) {
        m_text << key << " = \"" << value << " ns\"\n";
    }
    void raw(std::string_view text) { m_text << text; }
    std::string text() const { return m_text.str(); }

    std::vector<DrawnQp> qps;
    std::vector<DrawnCq> cqs;
    std::vector<DrawnSrq> srqs;
    std::uint64_t last_step_ns = 0;  ///< no step is later
    bool native = true;              ///< entries of the format that has a number for every opcode
    bool sweeps = false;             ///< entries of dead QPs are swept out (S7.7)

  private:
    RandomStream m_random;
    std::ostringstream m_text;
};

/// The scenario of a seed: the same text for ever, as long as the draw is not changed.
std::string drawn_scenario(std::uint64_t seed);

/// Its parts.
/// What a QP may post, that the format of the entries has a number for.
std::string_view drawn_send(Draw& draw, const DrawnQp& qp);
void draw_device(Draw& draw);
void draw_objects(Draw& draw);
void draw_traffic(Draw& draw);
void draw_steps(Draw& draw);

}  // namespace cqsim::tb::test
