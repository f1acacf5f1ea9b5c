// SPDX-License-Identifier: Apache-2.0
/// \file
/// What became of every request of a run, counted from its records alone: a second opinion beside
/// the checkers and the statistics, with which it shares no code (D4).
#pragma once

#include "models/observe/record.h"
#include "tb/integration/coverage.h"
#include "tb/scenario/scenario.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cqsim::tb::test {

/// How a request ended. Each ends in exactly one of these ways.
enum class RequestEnd : std::uint8_t {
    Reported,     ///< an entry, of success or of its own failure
    Flushed,      ///< an entry of WR_FLUSH_ERR
    Retired,      ///< suppressed, and a later request of its queue was reported (S2.4)
    Lost,         ///< its CQ refused it (S5.3)
    Discarded,    ///< cancelled, or suppressed and not retired, at the end of a life (S7.3)
    Outstanding,  ///< nothing of these when the run ended
};
inline constexpr std::size_t kRequestEnds = 6;

/// The ends of the requests of a QP group, by RequestEnd.
struct EndCounts {
    std::uint64_t posted = 0;
    std::array<std::uint64_t, kRequestEnds> ends{};

    std::uint64_t operator[](RequestEnd end) const {
        return ends.at(static_cast<std::size_t>(end));
    }
};

/// What became of the requests of an SRQ group (S2.11).
struct SrqCounts {
    std::uint64_t posted = 0;
    std::uint64_t taken = 0;
    std::uint64_t returned = 0;  ///< read, swept out, stepped over, or cancelled
    std::uint64_t lost = 0;
    std::uint64_t held = 0;  ///< none of these
};

/// Keeps every request of the run by its serial number, every CQ's entries that nobody has polled,
/// and the states of QPs. For runs whose CQs stay, in rings that are neither replaced nor
/// overwritten.
class Ledger final : public RecordSubscriber {
  public:
    explicit Ledger(const Scenario& scenario);

    void observe(const RecordBatch& batch) override;
    /// Closes the books after the last record.
    void finish();

    /// What does not add up, a line each; the first kFaults.
    const std::vector<std::string>& faults() const { return m_faults; }
    /// Of a QP group, by its place in the scenario. After `finish`.
    const EndCounts& counts(std::size_t group) const { return m_counts.at(group); }
    /// Of an SRQ group, likewise.
    const SrqCounts& srq_counts(std::size_t group) const { return m_srq_counts.at(group); }
    const Coverage& coverage() const { return m_coverage; }

  private:
    static constexpr std::size_t kFaults = 20;

    struct Request {
        std::uint64_t serial = 0;
        std::uint64_t wr_id = 0;
        Qpn qpn = kNoQp;
        std::uint32_t index = 0;
        std::uint16_t generation = 0;
        QueueKind queue{};
        Srqn srqn = kNoSrq;  ///< whence it was taken
        bool asked_for = false;
        bool in_error = false;  ///< posted while its QP was in ERR
        // How often each was said of it.
        std::uint32_t completes = 0;
        std::uint32_t suppresses = 0;
        std::uint32_t slots = 0;
        std::uint32_t refusals = 0;
        std::uint32_t answers = 0;
        std::uint32_t polls = 0;
        // And what.
        WcStatus status{};
        Outcome outcome{};
        LostCause refused_for{};
        LostCause lost_for{};
        bool swept = false;
        bool late = false;  ///< answered when the end of its life was done

        bool granted() const { return answers != 0 && outcome == Outcome::Granted; }
    };
    using Life = std::pair<Qpn, std::uint16_t>;
    struct Ring {
        std::deque<Request*> unread;  ///< have a slot, in the order of slots
        bool polled_for_ever = false;
    };
    struct Qp {
        QpState state{};
        std::uint32_t flushed_queues = 0;  ///< since it went to ERR, a bit each
        bool all_signaled = false;
    };

    void take(const Record& record);
    void post(const Record& record);
    void post_shared(const Record& record);
    void take_shared(const Record& record, Request& request);
    void complete(const Record& record);
    void suppress(const Record& record);
    void slot(const Record& record);
    void refuse(const Record& record);
    void answer(const Record& record);
    void poll(const Record& record);
    void state(const Record& record);
    void destroy(const Record& record);
    void sweep(const Life& life);
    void end(const Record& record);
    void last_wqe(const Record& record);

    /// The request that a record names; null, and a fault, if there is none.
    Request* named(const Record& record, const char* what);
    bool is_entry_of(const Request& request, const Record& poll) const;
    void close(const Request& request);
    void close_quiet(const Request& request);
    void close_rings();
    void close_shared();
    /// The ends of the requests of one queue in one life, in the order of posts.
    void count_queue(const std::vector<const Request*>& queue);
    RequestEnd end_of(const Request& request, bool retired) const;
    bool life_done(const Request& request) const {
        return m_done.count({request.qpn, request.generation}) != 0;
    }
    std::size_t group_of(Qpn qpn) const;
    std::size_t srq_group_of(Srqn srqn) const;
    void fault(const Request& request, const std::string& what);
    void fault(const std::string& what);

    const Scenario& m_scenario;
    bool m_sweeps;
    bool m_wr_ids;  ///< entries hold them (S1.8)
    std::map<std::uint64_t, Request> m_requests;
    std::vector<Ring> m_rings;
    std::vector<Qp> m_qps;
    std::set<Life> m_begun;                                        ///< lives whose end has begun
    std::set<Life> m_done;                                         ///< and those where it is done
    std::map<std::uint16_t, std::deque<std::uint64_t>> m_waiting;  ///< serials, by SRQ
    std::set<Life> m_last_wqe;                                     ///< lives that have said so
    std::vector<EndCounts> m_counts;
    std::vector<SrqCounts> m_srq_counts;
    std::vector<std::string> m_faults;
    Coverage m_coverage;
    bool m_ended = false;
    bool m_quiet = false;                        ///< the run ended with nothing left to run
    bool m_idle = false;                         ///< and nothing waits for software
    std::array<std::uint64_t, 2> m_told_open{};  ///< by the record of the end
};

}  // namespace cqsim::tb::test
