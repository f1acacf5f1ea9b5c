// SPDX-License-Identifier: Apache-2.0
// Send and receive queues converge on the completion queues: every kind of request, signaled or
// not, with every status. Each cell has one row of the table, and the model's rules say the same.
#include "models/qp/qp_transitions.h"
#include "models/tap/tap_rules.h"
#include "tb/unit/convergence_rows.h"

#include <catch2/catch.hpp>

#include <iostream>
#include <set>
#include <sstream>

namespace {

using namespace cqsim;
namespace table = convergence;

/// One way in which a request can end.
struct ConvergenceCell {
    QpType type{};
    WrOpcode opcode{};
    QueueKind side{};
    bool signaled = false;
    bool sig_all = false;
    bool shared = false;
    WcStatus status{};

    std::string text() const {
        std::ostringstream out;
        out << name(type) << ' ' << name(opcode) << ' ' << name(side)
            << (signaled ? " signaled" : "") << (sig_all ? " sq_sig_all" : "")
            << (shared ? " shared" : "") << ' ' << name(status);
        return out.str();
    }
};

/// Opcodes and statuses by number, as libibverbs has them.
std::vector<WrOpcode> all_opcodes() {
    std::vector<WrOpcode> opcodes;
    for (const std::string_view spelling : wr_opcode_names()) {
        opcodes.push_back(*parse_wr_opcode(spelling));
    }
    return opcodes;
}

template <class Visit>
void for_each_cell(const Visit& visit) {
    const std::vector<WrOpcode> opcodes = all_opcodes();
    for (const QpType type : kQpTypes) {
        for (const WrOpcode opcode : opcodes) {
            for (const QueueKind side : {QueueKind::Send, QueueKind::Receive}) {
                for (unsigned rest = 0; rest < 8; ++rest) {
                    for (unsigned status = 0; status < wc_status_names().size(); ++status) {
                        visit(ConvergenceCell{type,
                                              opcode,
                                              side,
                                              (rest & 1U) != 0,
                                              (rest & 2U) != 0,
                                              (rest & 4U) != 0,
                                              static_cast<WcStatus>(status)});
                    }
                }
            }
        }
    }
}

bool speaks_of(const table::Row& row, const ConvergenceCell& cell) {
    const auto has = [](table::Bits bits, unsigned value) { return (bits >> value & 1U) != 0; };
    return has(row.types, static_cast<unsigned>(cell.type)) &&
           has(row.opcodes, static_cast<unsigned>(cell.opcode)) &&
           has(row.side, index_of(cell.side)) &&
           has(row.asked, (cell.signaled ? 1U : 0U) + (cell.sig_all ? 2U : 0U)) &&
           has(row.shared, cell.shared ? 1U : 0U) &&
           has(row.statuses, static_cast<unsigned>(cell.status));
}

const table::Row* row_of(const ConvergenceCell& cell) {
    for (const table::Row& row : table::kRows) {
        if (speaks_of(row, cell)) {
            return &row;
        }
    }
    return nullptr;
}

bool model_reports(const ConvergenceCell& cell) {
    Completion completion;
    completion.queue = cell.side;
    completion.status = cell.status;
    completion.signaled = cell.signaled;
    return cell.side == QueueKind::Send ? TxTapRule::reports(completion, cell.sig_all)
                                        : RxTapRule::reports(completion, cell.sig_all);
}

/// On success; on failure it is not defined (S1.2).
std::optional<WcOpcode> model_opcode(const ConvergenceCell& cell) {
    return cell.side == QueueKind::Send ? requester_opcode(cell.opcode)
                                        : responder_opcode(cell.opcode);
}

QpState state_of(table::After after, QpState before) {
    switch (after) {
        case table::After::Sqe:
            return QpState::Sqe;
        case table::After::Err:
            return QpState::Err;
        case table::After::Stays:
            break;
    }
    return before;
}

}  // namespace

TEST_CASE("S2 the convergence table has one row for each cell, and no row without one") {
    std::array<std::uint64_t, table::kRows.size()> cells{};
    std::uint64_t wrong = 0;
    std::string first;
    for_each_cell([&](const ConvergenceCell& cell) {
        unsigned rows = 0;
        for (std::size_t i = 0; i < table::kRows.size(); ++i) {
            if (speaks_of(table::kRows[i], cell)) {
                ++rows;
                ++cells[i];
            }
        }
        if (rows != 1 && wrong++ == 0) {
            first = cell.text() + " has " + std::to_string(rows) + " rows";
        }
    });
    INFO(first);
    CHECK(wrong == 0);
    for (std::size_t i = 0; i < table::kRows.size(); ++i) {
        INFO("row " << i << ": " << table::kRows[i].rule << ' ' << table::kRows[i].why);
        CHECK(cells[i] != 0);
    }
}

TEST_CASE("S2 each row of the convergence table names its rule and its reason") {
    for (const table::Row& row : table::kRows) {
        CHECK(row.rule[0] == 'S');
        CHECK(row.why[0] != '\0');
    }
}

TEST_CASE("S1.2 S1.17 S2.10 a request ends in the model where the table has it end") {
    std::uint64_t possible = 0;
    for_each_cell([&](const ConvergenceCell& cell) {
        const table::Row* row = row_of(cell);
        const bool ends = may_end(cell.type, cell.side, cell.opcode, cell.status, cell.shared);
        possible += ends ? 1 : 0;
        if (row == nullptr || ends != (row->ends != table::Ends::Never)) {
            INFO(cell.text() << ": " << (row == nullptr ? "no row" : row->why));
            CHECK(ends == (row != nullptr && row->ends != table::Ends::Never));
        }
    });
    CHECK(possible != 0);
}

TEST_CASE("S1.15 S2.1 S2.2 S2.9 S2.10 it is reported, and as what, as the table says") {
    for_each_cell([](const ConvergenceCell& cell) {
        const table::Row* row = row_of(cell);
        if (row == nullptr || row->ends == table::Ends::Never) {
            return;
        }
        const std::optional<WcOpcode> opcode = model_opcode(cell);
        const bool takes = cell.side == QueueKind::Receive && responder_opcode(cell.opcode);
        const bool same =
            model_reports(cell) == (row->ends == table::Ends::Reported) && takes == row->consumes &&
            (cell.status == WcStatus::Success ? opcode && static_cast<int>(*opcode) == row->opcode
                                              : row->opcode == table::kUndefined);
        if (!same) {
            INFO(cell.text() << ": " << row->rule << ' ' << row->why);
            CHECK(model_reports(cell) == (row->ends == table::Ends::Reported));
            CHECK(takes == row->consumes);
            CHECK((opcode ? static_cast<int>(*opcode) : -1) == row->opcode);
        }
    });
}

TEST_CASE("S1.11 S2.16 S2.22 what becomes of the QP is what the table says") {
    for_each_cell([](const ConvergenceCell& cell) {
        const table::Row* row = row_of(cell);
        if (row == nullptr || row->ends == table::Ends::Never) {
            return;
        }
        // The states in which a request of the queue can be in progress; in ERR it flushes.
        for (const QpState before : {QpState::Rtr, QpState::Rts, QpState::Sqd, QpState::Sqe}) {
            const bool runs = cell.side == QueueKind::Receive ||
                              (before != QpState::Rtr && before != QpState::Sqe);
            const QpState after = state_after(before, cell.type, cell.side, cell.status);
            if (runs && after != state_of(row->after, before)) {
                INFO(cell.text() << " in " << name(before) << ": " << row->rule << ' ' << row->why);
                CHECK(after == state_of(row->after, before));
            }
        }
        CHECK(state_after(QpState::Err, cell.type, cell.side, cell.status) == QpState::Err);
    });
}

// Hidden: run it by name for the list.
TEST_CASE("cells of the convergence table on which the sheet is silent", "[.silent]") {
    for (const table::Row& row : table::kRows) {
        if (row.ground == table::Ground::Sheet) {
            continue;
        }
        std::uint64_t cells = 0;
        std::set<std::string> types;
        for_each_cell([&](const ConvergenceCell& cell) {
            if (speaks_of(row, cell)) {
                ++cells;
                types.insert(std::string(name(cell.type)));
            }
        });
        std::cout << (row.ground == table::Ground::Silent ? "silent " : "manual ") << row.rule
                  << ' ' << (row.side == table::kQ ? "send" : "recv") << ' ' << cells << " cells";
        for (const std::string& type : types) {
            std::cout << ' ' << type;
        }
        std::cout << ": " << row.why << '\n';
    }
    CHECK(table::kRows.size() <= 150);
}
