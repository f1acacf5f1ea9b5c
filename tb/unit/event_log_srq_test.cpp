// SPDX-License-Identifier: Apache-2.0
// Shared receive queues in event logs.
#include "tb/record/event_log_reader.h"
#include "tb/unit/event_log_files.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>

namespace cqsim::tb {

TEST_CASE("S2.11 what SRQs and the QPs on them do is read as it was written") {
    std::vector<Record> written;
    const auto add = [&written](Kind kind, Qpn qpn) -> Record& {
        Record record;
        record.kind = kind;
        record.qpn = qpn;
        record.flags = kShared;
        record.unit = 3;
        return written.emplace_back(record);
    };
    add(Kind::Create, kNoQp).index = 8;
    add(Kind::Create, Qpn{2}).state = static_cast<std::uint8_t>(QpType::Rc);
    add(Kind::Modify, kNoQp).index = 4;
    for (const Qpn qpn : {kNoQp, Qpn{2}}) {
        Record& post = add(Kind::Post, qpn);
        post.queue = QueueKind::Receive;
        post.index = 5;
        post.serial = 17;
        post.wr_id = UINT64_C(0x2000000300000005);
    }
    CompletionDetails details;
    details.srqn = 3;
    Record& complete = add(Kind::Complete, Qpn{2});
    complete.queue = QueueKind::Receive;
    complete.flags |= kFlushed;
    complete.bytes = reinterpret_cast<const std::byte*>(&details);
    complete.b = sizeof(details);
    add(Kind::Outcome, Qpn{2}).queue = QueueKind::Receive;
    add(Kind::Async, kNoQp).state = static_cast<std::uint8_t>(AsyncEvent::SrqLimitReached);
    add(Kind::Async, Qpn{2}).state = static_cast<std::uint8_t>(AsyncEvent::QpLastWqeReached);
    written.back().flags = 0;
    written.back().unit = 0;
    Record& eqe = add(Kind::Eqe, kNoQp);
    eqe.unit = 1;
    eqe.serial = 3;
    const std::array<std::byte, 64> entry{};
    eqe.bytes = entry.data();
    eqe.b = entry.size();

    const TemporaryFile file;
    RunHeader header = rich_header();
    header.srq = {{"pool", 2, 2}};
    EventLogWriter writer(file.path(), header, kAllKinds, nullptr);
    writer.observe({written.data(), written.size()});
    writer.close();
    CHECK_THAT(file.read(), Catch::Contains(R"("srq":"pool[1]","srqn":3)"));
    EventLogReader reader(file.path());
    CHECK(reader.header().srq_name(Srqn{2}) == "pool[0]");
    CHECK(reader.header().srq_name(Srqn{4}) == "srq 4");
    Record read;
    for (const Record& was : written) {
        INFO("kind " << static_cast<unsigned>(was.kind));
        REQUIRE(reader.next(read));
        read.bytes = was.bytes;
        CHECK(std::memcmp(&read, &was, sizeof(Record)) == 0);
    }
}

}  // namespace cqsim::tb
