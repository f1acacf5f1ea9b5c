// SPDX-License-Identifier: Apache-2.0
// A work completion as software may use it (S1.2, S1.3), and a host that does not keep to it.
#include "tb/host/work_completion.h"
#include "tb/unit/host_bench.h"
#include "tb/unit/record_list.h"

namespace cqsim::test {
namespace {

using tb::WorkCompletion;

constexpr Qpn kWcQp{3};

CompletionDetails all_details() {
    CompletionDetails details;
    details.byte_len = 1001;
    details.imm_data = 1002;
    details.src_qp = 1003;
    details.vendor_err = 1004;
    details.srqn = 1005;
    details.wc_flags = kWcGrh | kWcWithImm;
    details.pkey_index = 1006;
    details.slid = 1007;
    details.sl = 8;
    details.dlid_path_bits = 9;
    details.opcode = static_cast<std::uint8_t>(WcOpcode::Recv);
    return details;
}

cqe::Decoded entry_of(WcStatus status, QueueKind queue, WcOpcode opcode) {
    cqe::Decoded entry;
    entry.wr_id = 0x72;
    entry.qpn = kWcQp;
    entry.wqe_index = 4;
    entry.status = status;
    entry.queue = queue;
    entry.details = all_details();
    entry.details.opcode = static_cast<std::uint8_t>(opcode);
    return entry;
}

Completion completion_of(QueueKind queue, WcStatus status, std::uint32_t wqe_index) {
    Completion completion;
    completion.qpn = kWcQp;
    completion.queue = queue;
    completion.status = status;
    completion.wqe_index = wqe_index;
    completion.wr_id = 0x50 + wqe_index;
    completion.details.opcode =
        static_cast<std::uint8_t>(queue == QueueKind::Send ? WcOpcode::Send : WcOpcode::Recv);
    return completion;
}

/// The module that uses fields.
struct User {
    KernelTimeline timeline{"timeline"};
    RecordStream records;
    RecordList list{records, kAllKinds};
    tb::UndefinedReads reads{timeline, records, "host"};
};

std::vector<std::uint32_t> wqes(const std::vector<Handed>& handed) {
    std::vector<std::uint32_t> all;
    all.reserve(handed.size());
    for (const Handed& one : handed) {
        all.push_back(one.wqe_index);
    }
    return all;
}

using Wqes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("S1.2 38 a failed completion gives four fields and no other") {
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        for (std::uint8_t status = 1; status < 24; ++status) {
            const cqe::Decoded entry =
                entry_of(static_cast<WcStatus>(status), queue, WcOpcode::Recv);
            const WorkCompletion completion(entry, {kCq, 5}, WcService::Gsi);
            CHECK(completion.wr_id() == 0x72);
            CHECK(completion.status() == static_cast<WcStatus>(status));
            CHECK(completion.qpn() == kWcQp);
            CHECK(completion.vendor_err() == 1004);
            CHECK_FALSE(completion.opcode());
            CHECK_FALSE(completion.byte_len());
            CHECK_FALSE(completion.imm_data());
            CHECK_FALSE(completion.invalidated_rkey());
            CHECK_FALSE(completion.wc_flags());
            CHECK_FALSE(completion.grh());
            CHECK_FALSE(completion.src_qp());
            CHECK_FALSE(completion.slid());
            CHECK_FALSE(completion.sl());
            CHECK_FALSE(completion.dlid_path_bits());
            CHECK_FALSE(completion.pkey_index());
            CHECK_FALSE(completion.srqn());
        }
    }
}

TEST_CASE("S1.3 a receive of a GSI QP gives all but what is not its own") {
    const cqe::Decoded entry = entry_of(WcStatus::Success, QueueKind::Receive, WcOpcode::Recv);
    const WorkCompletion completion(entry, {kCq, 5}, WcService::Gsi);
    CHECK(completion.opcode() == WcOpcode::Recv);
    CHECK(completion.byte_len() == 1001);
    CHECK(completion.imm_data() == 1002);
    CHECK_FALSE(completion.invalidated_rkey());
    CHECK(completion.wc_flags() == 3);
    CHECK(completion.grh() == true);
    CHECK(completion.src_qp() == 1003);
    CHECK(completion.slid() == 1007);
    CHECK(completion.sl() == 8);
    CHECK(completion.dlid_path_bits() == 9);
    CHECK(completion.pkey_index() == 1006);
    CHECK(completion.srqn() == 1005);
    CHECK_FALSE(completion.vendor_err());
    // The same of a QP that is not known to be one of datagrams.
    CHECK_FALSE(WorkCompletion(entry, {kCq, 5}).src_qp());
    CHECK(WorkCompletion(entry, {kCq, 5}).imm_data() == 1002);
}

TEST_CASE("S1.3 S1.4 a receive that invalidates gives the key in place of the immediate data") {
    cqe::Decoded entry = entry_of(WcStatus::Success, QueueKind::Receive, WcOpcode::Recv);
    entry.details.wc_flags = kWcWithInv;
    CHECK(WorkCompletion(entry, {kCq, 5}).invalidated_rkey() == 1002);
    CHECK_FALSE(WorkCompletion(entry, {kCq, 5}).imm_data());
}

TEST_CASE("K19 the length of a send is not given and that of a read is") {
    const cqe::Decoded send = entry_of(WcStatus::Success, QueueKind::Send, WcOpcode::Send);
    CHECK(WorkCompletion(send, {kCq, 5}).opcode() == WcOpcode::Send);
    CHECK_FALSE(WorkCompletion(send, {kCq, 5}).byte_len());
    const cqe::Decoded read = entry_of(WcStatus::Success, QueueKind::Send, WcOpcode::RdmaRead);
    CHECK(WorkCompletion(read, {kCq, 5}).byte_len() == 1001);
}

TEST_CASE("S1.2 the use of an undefined field is counted and reported and gives what is there") {
    User user;
    const cqe::Decoded entry =
        entry_of(WcStatus::WrFlushErr, QueueKind::Receive, WcOpcode::FetchAdd);
    const WorkCompletion completion(entry, {kOther, 5});
    CHECK(completion.undefined(WcField::Opcode, user.reads) == 4);
    CHECK(completion.undefined(WcField::ByteLen, user.reads) == 1001);
    CHECK(user.reads.count() == 2);
    const std::vector<Record>& records = user.list.all();
    REQUIRE(records.size() == 2);
    CHECK(records[0].kind == Kind::UndefinedRead);
    CHECK(user.records.source_name(records[0].source) == "host");
    CHECK(records[0].cqn == kOther);
    CHECK(records[0].qpn == kWcQp);
    CHECK(records[0].queue == QueueKind::Receive);
    CHECK(records[0].index == 5);
    CHECK(records[0].wr_id == 0x72);
    CHECK(records[0].state == 5);    // WR_FLUSH_ERR
    CHECK(records[0].a == 1U << 4);  // opcode
    CHECK(records[0].serial == 4);
    CHECK(records[1].a == 1U << 5);  // byte_len
}

TEST_CASE("S1.2 every field is read by the unsafe call and counted if it is not defined") {
    User user;
    cqe::Decoded entry = entry_of(WcStatus::Success, QueueKind::Send, WcOpcode::Send);
    const WorkCompletion completion(entry, {kCq, 5});
    const std::vector<std::pair<WcField, std::uint64_t>> defined{{WcField::WrId, 0x72},
                                                                 {WcField::Status, 0},
                                                                 {WcField::QpNum, 3},
                                                                 {WcField::Opcode, 0},
                                                                 {WcField::WcFlags, 3}};
    const std::vector<std::pair<WcField, std::uint64_t>> undefined{{WcField::VendorErr, 1004},
                                                                   {WcField::ByteLen, 1001},
                                                                   {WcField::ImmData, 1002},
                                                                   {WcField::InvalidatedRkey, 1002},
                                                                   {WcField::Grh, 1},
                                                                   {WcField::SrcQp, 1003},
                                                                   {WcField::Slid, 1007},
                                                                   {WcField::Sl, 8},
                                                                   {WcField::DlidPathBits, 9},
                                                                   {WcField::PkeyIndex, 1006},
                                                                   {WcField::Srqn, 1005}};
    for (const auto& [field, value] : defined) {
        CHECK(completion.undefined(field, user.reads) == value);
    }
    CHECK(user.reads.count() == 0);
    for (const auto& [field, value] : undefined) {
        INFO(name(field));
        CHECK(completion.undefined(field, user.reads) == value);
    }
    CHECK(user.reads.count() == 11);
}

TEST_CASE("S1.2 38 software credits a failed completion to its work queue whatever its opcode") {
    HostBench bench("bench");
    RecordList list(bench.records, mask_of(Kind::UndefinedRead));
    bench.begin();
    bench.create_cq(kCq, 16);
    bench.host.rings().reserve(16);
    std::uint32_t wqe = 0;
    for (const unsigned opcode : {0x00U, 0x5EU, 0xDEU, 0x80U}) {
        CompletionDetails filler;
        filler.opcode = static_cast<std::uint8_t>(opcode);
        bench.entry(kCq, completion_of(QueueKind::Send, WcStatus::WrFlushErr, wqe++), filler);
        bench.entry(kCq, completion_of(QueueKind::Receive, WcStatus::WrFlushErr, wqe++), filler);
    }
    CHECK(bench.host.rings().take(kCq, 16) == 8);
    CHECK(wqes(bench.handed) == Wqes{0, 2, 4, 6});
    CHECK(wqes(bench.handed_receives) == Wqes{1, 3, 5, 7});
    CHECK(bench.host.undefined_reads().count() == 0);
    CHECK(list.all().empty());
}

TEST_CASE("S1.2 38 who goes by the opcode credits what failed by what happens to lie there") {
    HostBench bench("bench", tb::StalePolicy::None, tb::ClassifyPolicy::Opcode);
    RecordList list(bench.records, mask_of(Kind::UndefinedRead));
    bench.begin();
    bench.create_cq(kCq, 16);
    bench.host.rings().reserve(16);
    const auto entry =
        [&bench](QueueKind queue, WcStatus status, std::uint8_t opcode, std::uint32_t wqe) {
            CompletionDetails filler;
            filler.opcode = opcode;
            bench.entry(kCq, completion_of(queue, status, wqe), filler);
        };
    entry(QueueKind::Send, WcStatus::Success, 0xDE, 0);
    entry(QueueKind::Receive, WcStatus::Success, 0x00, 1);
    entry(QueueKind::Send, WcStatus::WrFlushErr, 0xDE, 2);     // as a receive
    entry(QueueKind::Receive, WcStatus::WrFlushErr, 0xDE, 3);  // right by chance
    entry(QueueKind::Send, WcStatus::WrFlushErr, 0x00, 4);     // right by chance
    entry(QueueKind::Receive, WcStatus::WrFlushErr, 0x5E, 5);  // as a send
    CHECK(bench.host.rings().take(kCq, 16) == 6);
    CHECK(wqes(bench.handed) == Wqes{0, 4, 5});
    CHECK(wqes(bench.handed_receives) == Wqes{1, 2, 3});
    CHECK(bench.host.undefined_reads().count() == 4);  // not those that succeeded
    const std::vector<Record>& records = list.all();
    REQUIRE(records.size() == 4);
    CHECK(records[0].index == 2);
    CHECK(records[0].queue == QueueKind::Send);
    CHECK(records[0].serial == 0xDE);
    CHECK(records[3].index == 5);
    CHECK(records[3].queue == QueueKind::Receive);
    CHECK(records[3].serial == 0x5E);
}

}  // namespace cqsim::test
