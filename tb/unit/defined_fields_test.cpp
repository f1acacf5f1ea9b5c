// SPDX-License-Identifier: Apache-2.0
// Which fields of a work completion are defined, against S1.2 to S1.4 written out by hand.
#include "models/cqe/defined_fields.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace cqsim;

constexpr std::array kAllFields{WcField::WrId,
                                WcField::Status,
                                WcField::QpNum,
                                WcField::VendorErr,
                                WcField::Opcode,
                                WcField::ByteLen,
                                WcField::ImmData,
                                WcField::InvalidatedRkey,
                                WcField::WcFlags,
                                WcField::Grh,
                                WcField::SrcQp,
                                WcField::Slid,
                                WcField::Sl,
                                WcField::DlidPathBits,
                                WcField::PkeyIndex,
                                WcField::Srqn};

using Names = std::set<std::string>;

Names names_of(WcFieldSet set) {
    Names names;
    for (const WcField field : kAllFields) {
        if (set.has(field)) {
            names.insert(std::string(name(field)));
        }
    }
    return names;
}

Names with(Names names, const Names& more) {
    names.insert(more.begin(), more.end());
    return names;
}

// The first row of S1.3, with the flags themselves.
const Names on_success{"wr_id", "status", "qp_num", "opcode", "wc_flags"};
const Names on_failure{"wr_id", "status", "qp_num", "vendor_err"};  // S1.2

/// A column of S1.3.
struct Column {
    QueueKind queue;
    WcOpcode opcode;
    std::uint16_t flags;
    Names more;
};

constexpr std::uint16_t kNoFlags = 0;
constexpr std::uint16_t kOnlyImm = 2;
constexpr std::uint16_t kOnlyInv = 8;

const std::vector<Column> connected{
    {QueueKind::Send, WcOpcode::Send, kNoFlags, {}},
    {QueueKind::Send,
     WcOpcode::Send,
     kOnlyImm,
     {}},  // mlx5 and rxe set the flag; the data is not there
    {QueueKind::Send, WcOpcode::Send, kOnlyInv, {}},
    {QueueKind::Send, WcOpcode::RdmaWrite, kNoFlags, {}},
    {QueueKind::Send, WcOpcode::RdmaWrite, kOnlyImm, {}},
    {QueueKind::Send, WcOpcode::RdmaRead, kNoFlags, {"byte_len"}},
    {QueueKind::Send, WcOpcode::CompSwap, kNoFlags, {"byte_len"}},
    {QueueKind::Send, WcOpcode::FetchAdd, kNoFlags, {"byte_len"}},
    {QueueKind::Send, WcOpcode::BindMw, kNoFlags, {}},
    {QueueKind::Send, WcOpcode::LocalInv, kNoFlags, {}},
    {QueueKind::Send, WcOpcode::Tso, kNoFlags, {}},
    {QueueKind::Send, WcOpcode::Flush, kNoFlags, {}},
    {QueueKind::Send, WcOpcode::AtomicWrite, kNoFlags, {}},
    {QueueKind::Receive, WcOpcode::Recv, kNoFlags, {"byte_len", "srqn"}},
    {QueueKind::Receive, WcOpcode::Recv, kOnlyImm, {"byte_len", "srqn", "imm_data"}},
    {QueueKind::Receive, WcOpcode::Recv, kOnlyInv, {"byte_len", "srqn", "invalidated_rkey"}},
    {QueueKind::Receive, WcOpcode::RecvRdmaWithImm, kOnlyImm, {"byte_len", "srqn", "imm_data"}},
};

WcShape shape_of(const Column& column, WcService service) {
    return {WcStatus::Success, column.queue, column.opcode, column.flags, service};
}

}  // namespace

TEST_CASE("S1.3 what a successful completion of a connected QP defines for every opcode") {
    for (const Column& column : connected) {
        INFO("queue " << index_of(column.queue) << " opcode " << name(column.opcode) << " flags "
                      << column.flags);
        CHECK(names_of(defined_fields(shape_of(column, WcService::Connected))) ==
              with(on_success, column.more));
    }
}

TEST_CASE("S1.3 a successful send of a UD QP defines what any send does") {
    for (const Column& column : connected) {
        if (column.queue == QueueKind::Send) {
            for (const WcService service : {WcService::Datagram, WcService::Gsi}) {
                CHECK(names_of(defined_fields(shape_of(column, service))) ==
                      with(on_success, column.more));
            }
        }
    }
}

TEST_CASE("S1.3 a successful receive of a UD QP tells where it came from") {
    const Names where{"byte_len", "srqn", "src_qp", "slid", "sl", "dlid_path_bits", "grh"};
    for (const std::uint16_t grh : {std::uint16_t{0}, std::uint16_t{1}}) {
        const auto fields = [grh](std::uint16_t flags, WcService service) {
            return names_of(defined_fields({WcStatus::Success,
                                            QueueKind::Receive,
                                            WcOpcode::Recv,
                                            static_cast<std::uint16_t>(flags | grh),
                                            service}));
        };
        CHECK(fields(kNoFlags, WcService::Datagram) == with(on_success, where));
        CHECK(fields(kOnlyImm, WcService::Datagram) == with(with(on_success, where), {"imm_data"}));
        CHECK(fields(kOnlyInv, WcService::Datagram) == with(on_success, where));  // n/a
        CHECK(fields(kNoFlags, WcService::Gsi) == with(with(on_success, where), {"pkey_index"}));
        CHECK(fields(kNoFlags, WcService::Connected) == with(on_success, {"byte_len", "srqn"}));
    }
}

TEST_CASE("S1.4 an entry with both WITH_IMM and WITH_INV defines neither") {
    const WcShape both{WcStatus::Success,
                       QueueKind::Receive,
                       WcOpcode::Recv,
                       kOnlyImm | kOnlyInv,
                       WcService::Connected};
    CHECK(names_of(defined_fields(both)) == with(on_success, {"byte_len", "srqn"}));
}

TEST_CASE("S1.2 a failed completion defines four fields with every status and opcode and side") {
    for (std::uint8_t status = 1; status < 24; ++status) {
        for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
            for (unsigned opcode = 0; opcode < 256; ++opcode) {  // what lies there may be anything
                for (const std::uint16_t flags :
                     {kNoFlags, kOnlyImm, kOnlyInv, std::uint16_t{0xFFFF}}) {
                    for (const WcService service :
                         {WcService::Connected, WcService::Datagram, WcService::Gsi}) {
                        const WcFieldSet defined = defined_fields({static_cast<WcStatus>(status),
                                                                   queue,
                                                                   static_cast<WcOpcode>(opcode),
                                                                   flags,
                                                                   service});
                        if (names_of(defined) != on_failure) {
                            INFO("status " << int{status} << " opcode " << opcode);
                            CHECK(names_of(defined) == on_failure);
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("S1.1 every field has a bit and a name of its own") {
    WcFieldSet seen;
    for (const WcField field : kAllFields) {
        CHECK_FALSE(seen.has(field));
        seen = seen | field;
    }
    CHECK(names_of(seen).size() == 16);
    CHECK(kWcFieldNames.size() == 16);
    CHECK(name(WcField::WrId) == "wr_id");
    CHECK(name(WcField::Opcode) == "opcode");
    CHECK(name(WcField::Srqn) == "srqn");
    CHECK(wc_field_name(0) == "?");
    CHECK(wc_field_name(3) == "?");
    CHECK(wc_field_name(std::uint64_t{1} << 32) == "?");
    CHECK_FALSE(seen.empty());
    CHECK((seen & WcField::Opcode) == WcFieldSet(WcField::Opcode));
    CHECK(WcFieldSet().empty());
}

TEST_CASE("S1.18 a QP type is a service") {
    CHECK(service_of(QpType::Rc) == WcService::Connected);
    CHECK(service_of(QpType::Uc) == WcService::Connected);
    CHECK(service_of(QpType::Ud) == WcService::Datagram);
}

static_assert(defined_fields({WcStatus::WrFlushErr}) != defined_fields({}),
              "known at compile time");
