// SPDX-License-Identifier: Apache-2.0
// What lies in the fields that a failed completion does not define (S1.2), by policy.
#include "models/writer/undefined_fill.h"

#include <catch2/catch.hpp>

#include <set>

namespace {

using namespace cqsim;

CompletionDetails details_of(std::uint8_t opcode, std::uint32_t byte_len) {
    CompletionDetails details;
    details.opcode = opcode;
    details.byte_len = byte_len;
    details.imm_data = 0x1234;
    details.src_qp = 5;
    details.srqn = 6;
    details.wc_flags = kWcWithImm;
    details.pkey_index = 7;
    details.slid = 8;
    details.sl = 9;
    details.dlid_path_bits = 10;
    return details;
}

Completion completion_of(const CompletionDetails& details, WcStatus status) {
    Completion completion;
    completion.details = details;
    completion.status = status;
    return completion;
}

bool same(const CompletionDetails& l, const CompletionDetails& r) {
    return std::memcmp(&l, &r, sizeof l) == 0;
}

}  // namespace

TEST_CASE("S1.2 poison is recognised in every field and differs from field to field") {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const CompletionDetails poison = UndefinedFill(UndefinedPolicy::Poison, seed).fields();
        REQUIRE(poison.byte_len >> 20 == 0xDE1);
        REQUIRE(poison.imm_data >> 20 == 0xDE2);
        REQUIRE(poison.src_qp >> 12 == 0xDE3);
        REQUIRE(poison.srqn >> 12 == 0xDE4);
        REQUIRE(poison.wc_flags >> 4 == 0xDE5);
        REQUIRE(poison.pkey_index >> 4 == 0xDE6);
        REQUIRE(poison.slid >> 4 == 0xDE7);
        REQUIRE(poison.sl == 0xD8);
        REQUIRE(poison.dlid_path_bits == 0xD9);
        REQUIRE((poison.opcode & 0x7F) == 0x5E);  // S1.15: no opcode, of sends or of receives
        REQUIRE(poison.vendor_err == 0);
    }
}

TEST_CASE("P6 poison hangs on the seed and on nothing else") {
    std::set<std::uint32_t> lengths;
    std::set<unsigned> opcodes;
    for (std::uint64_t seed = 0; seed < 64; ++seed) {
        const UndefinedFill fill(UndefinedPolicy::Poison, seed);
        CHECK(same(fill.fields(), UndefinedFill(UndefinedPolicy::Poison, seed).fields()));
        lengths.insert(fill.fields().byte_len);
        opcodes.insert(fill.fields().opcode);
    }
    CHECK(lengths.size() > 60);
    CHECK(opcodes == std::set<unsigned>{0x5E, 0xDE});  // as a send, as a receive
}

TEST_CASE("S1.2 poison and zeros stay what they are") {
    for (const UndefinedPolicy policy : {UndefinedPolicy::Poison, UndefinedPolicy::Zero}) {
        UndefinedFill fill(policy, 3);
        const CompletionDetails before = fill.fields();
        CHECK(same(before, CompletionDetails{}) == (policy == UndefinedPolicy::Zero));
        fill.formed(completion_of(details_of(128, 64), WcStatus::Success));
        fill.formed(completion_of(details_of(1, 65), WcStatus::WrFlushErr));
        CHECK(same(fill.fields(), before));
    }
}

TEST_CASE("S1.2 stale fields are those of the last successful completion") {
    UndefinedFill fill(UndefinedPolicy::Stale, 3);
    CHECK(same(fill.fields(), CompletionDetails{}));
    fill.formed(completion_of(details_of(1, 65), WcStatus::WrFlushErr));
    CHECK(same(fill.fields(), CompletionDetails{}));
    fill.formed(completion_of(details_of(128, 64), WcStatus::Success));
    CHECK(same(fill.fields(), details_of(128, 64)));
    fill.formed(completion_of(details_of(2, 66), WcStatus::RetryExcErr));
    CHECK(same(fill.fields(), details_of(128, 64)));
    fill.formed(completion_of(details_of(0, 67), WcStatus::Success));
    CHECK(same(fill.fields(), details_of(0, 67)));
}

TEST_CASE("P2 fills are equal and hash alike when they go on alike") {
    const UndefinedFill zero(UndefinedPolicy::Zero, 1);
    UndefinedFill stale(UndefinedPolicy::Stale, 1);
    CHECK_FALSE(zero == stale);  // no field differs yet
    CHECK(zero.hash() != stale.hash());
    UndefinedFill copy = stale;
    CHECK(copy == stale);
    CHECK(copy.hash() == stale.hash());
    copy.formed(completion_of(details_of(128, 64), WcStatus::Success));
    CHECK_FALSE(copy == stale);
    CHECK(copy.hash() != stale.hash());
    stale.formed(completion_of(details_of(128, 64), WcStatus::Success));
    CHECK(copy == stale);
    CHECK(copy.hash() == stale.hash());
    CHECK_FALSE(UndefinedFill(UndefinedPolicy::Poison, 1) ==
                UndefinedFill(UndefinedPolicy::Poison, 2));
}
