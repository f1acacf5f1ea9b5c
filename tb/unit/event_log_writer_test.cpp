// SPDX-License-Identifier: Apache-2.0
#include "models/verbs/wc_field.h"
#include "tb/record/event_log_reader.h"
#include "tb/unit/event_log_files.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>

namespace cqsim::tb {
namespace {

RunHeader small_header() {
    RunHeader header;
    header.scenario = "first_look";
    header.seed = 1;
    header.cq = {{"shared", 0, 1}};
    header.qp = {{"victim", 2, 4}};
    return header;
}

// The line that one record becomes.
std::string line_of(const Record& record, const RunHeader& header = small_header()) {
    const TemporaryFile file;
    EventLogWriter writer(file.path(), header, kAllKinds, [](std::uint8_t source) {
        return source == 0 ? "nic.tap" : "monitor";
    });
    writer.observe({&record, 1});
    writer.close();
    const std::string text = file.read();
    return text.substr(text.find('\n') + 1);
}

Record of_qp(Kind kind) {
    Record record;
    record.kind = kind;
    record.time_ps = 1500;
    record.qpn = Qpn{5};
    record.generation = 1;
    record.queue = QueueKind::Send;
    record.index = 3;
    record.serial = 17;
    record.wr_id = 0x1000;
    return record;
}

}  // namespace

TEST_CASE("the first line of an event log names format, schema, run, kinds and objects") {
    const TemporaryFile file;
    EventLogWriter writer(
        file.path(), small_header(), mask_of(Kind::Post) | mask_of(Kind::End), nullptr);
    writer.close();
    CHECK(file.read() ==
          R"({"format":"cqsim-events","schema":1,"scenario":"first_look","seed":1,)"
          R"("cqe_format":"native","index_width":32,"memory_ordering":"in_order",)"
          R"("cq_full":"depth","cq_error":"sticky","cq_err":"once",)"
          R"("qp_fatal":"once","overrun_ignore":"off","owner":"parity",)"
          R"("send_byte_len":"undefined","consumer_index":"record","slot_release":"poll",)"
          R"("flush_order":"interleaved","reset_from":"any","failed_sends":"solicited",)"
          R"("events":["post","end"],)"
          R"("cq":[{"name":"shared","first":0,"count":1}],)"
          R"("qp":[{"name":"victim","first":2,"count":4}],)"
          R"("eq":[],"vectors":0,"arm":"edge","event_latency":0,"moderation_break":true,)"
          R"("eq_overflow":"fatal"})"
          "\n");
}

TEST_CASE("a post is a line with its work queue, request and flags") {
    Record record = of_qp(Kind::Post);
    record.state = static_cast<std::uint8_t>(WrOpcode::SendWithImm);
    record.a = 64;
    record.flags = kSignaled;
    const std::string begin =
        R"({"t":1500,"src":"nic.tap","ev":"post","qp":"victim[3]","qpn":5,"generation":1,)";
    const std::string request = R"("wqe":3,"serial":17,"wr_id":"0x1000",)";
    CHECK(line_of(record) == begin + R"("queue":"send",)" + request +
                                 R"("opcode":"SEND_WITH_IMM","length":64,)"
                                 R"("signaled":true,"solicited":false})"
                                 "\n");
    record.queue = QueueKind::Receive;  // a receive has no opcode
    CHECK(line_of(record) == begin + R"("queue":"recv",)" + request +
                                 R"("length":64,"signaled":true,"solicited":false})"
                                 "\n");
}

TEST_CASE("a completion is a line with everything that its entry must say") {
    Record record = of_qp(Kind::Complete);
    record.wr_id = UINT64_MAX;
    record.state = static_cast<std::uint8_t>(WcStatus::Success);
    record.flags = kSolicited;
    CompletionDetails details;
    details.byte_len = 100;
    details.imm_data = 4'294'967'295U;
    details.wc_flags = kWcWithImm;
    details.opcode = static_cast<std::uint8_t>(WcOpcode::Recv);
    record.bytes = reinterpret_cast<const std::byte*>(&details);
    record.b = sizeof(details);
    CHECK(line_of(record) ==
          R"({"t":1500,"src":"nic.tap","ev":"complete","qp":"victim[3]","qpn":5,"generation":1,)"
          R"("queue":"send","wqe":3,"serial":17,"wr_id":"0xffffffffffffffff","status":"SUCCESS",)"
          R"("length":0,"signaled":false,"solicited":true,"flushed":false,"wc_opcode":"RECV",)"
          R"("byte_len":100,"imm_data":4294967295,"src_qp":0,"vendor_err":0,"srqn":0,)"
          R"("wc_flags":2,"pkey_index":0,"slid":0,"sl":0,"dlid_path_bits":0})"
          "\n");
}

TEST_CASE("an entry is a line with place, what was decoded, and its bytes") {
    Record record = of_qp(Kind::CqeVisible);
    record.source = 1;
    record.cqn = Cqn{0};
    record.a = 0xC0;
    record.flags = kOwner;
    record.state = static_cast<std::uint8_t>(WcStatus::RetryExcErr);
    const unsigned char bytes[] = {0x00, 0x7f, 0xA5};
    record.bytes = reinterpret_cast<const std::byte*>(bytes);
    record.b = sizeof(bytes);
    CHECK(line_of(record) ==
          R"({"t":1500,"src":"monitor","ev":"cqe_visible","cq":"shared","cqn":0,"slot":3,)"
          R"("address":"0xc0","qp":"victim[3]","qpn":5,"queue":"send","wr_id":"0x1000",)"
          R"("status":"RETRY_EXC_ERR","owner":1,"bytes":"007fa5"})"
          "\n");
}

TEST_CASE("CQs and QPs are created by lines of their own fields") {
    Record cq;
    cq.kind = Kind::Create;
    cq.cqn = Cqn{7};
    cq.a = 0x10000;
    cq.serial = 0x8000;
    cq.index = 8;
    cq.b = 64;
    cq.wr_id = 5;
    cq.unit = 3;
    CHECK(line_of(cq) ==
          R"({"t":0,"src":"nic.tap","ev":"create","cq":"cq 7","cqn":7,"ring":"0x10000",)"
          R"("doorbell":"0x8000","depth":8,"stride":64,"first_index":5,"eqn":3,"format":"native"})"
          "\n");
    Record qp;
    qp.kind = Kind::Create;
    qp.qpn = Qpn{2};
    qp.generation = 4;
    qp.a = 7;
    qp.serial = 8;
    qp.index = 32;
    qp.wr_id = 16;
    qp.flags = kSigAll;
    qp.state = static_cast<std::uint8_t>(QpType::Ud);
    qp.device = 1;
    CHECK(line_of(qp) ==
          R"({"t":0,"src":"nic.tap","ev":"create","device":1,"qp":"victim[0]","qpn":2,)"
          R"("generation":4,"send_cq":7,"recv_cq":8,"send_depth":32,"recv_depth":16,)"
          R"("sq_sig_all":true,"type":"UD"})"
          "\n");
    Record eq;
    eq.kind = Kind::Create;
    eq.unit = 3;
    eq.state = static_cast<std::uint8_t>(EqKind::Async);
    eq.a = 0x20000;
    eq.index = 4;
    eq.b = 64;
    eq.serial = 1;
    RunHeader header = small_header();
    header.eq = {{"aeq", 3, 1}};
    CHECK(line_of(eq, header) ==
          R"({"t":0,"src":"nic.tap","ev":"create","eq":"aeq","eqn":3,"kind":"async",)"
          R"("ring":"0x20000","depth":4,"stride":64,"vector":1})"
          "\n");
}

TEST_CASE("arms, events, their entries, interrupts and acknowledgements are lines") {
    Record record;
    record.kind = Kind::Arm;
    record.cqn = Cqn{0};
    record.index = 7;
    record.state = static_cast<std::uint8_t>(ArmKind::Solicited);
    CHECK(line_of(record) == R"({"t":0,"src":"nic.tap","ev":"arm","cq":"shared","cqn":0,"ci":7,)"
                             R"("kind":"solicited"})"
                             "\n");
    record.kind = Kind::Event;
    record.unit = 2;
    record.state = static_cast<std::uint8_t>(EventCause::Period);
    record.a = 4;
    CHECK(line_of(record) == R"({"t":0,"src":"nic.tap","ev":"event","cq":"shared","cqn":0,)"
                             R"("eq":"eq 2","eqn":2,"index":7,"why":"period","entries":4})"
                             "\n");
    const std::array<std::byte, 2> bytes{std::byte{1}, std::byte{0xAB}};
    record.kind = Kind::Eqe;
    record.a = 0x40;
    record.state = 1;
    record.flags = kOwner;
    record.bytes = bytes.data();
    record.b = 2;
    CHECK(line_of(record) == R"({"t":0,"src":"nic.tap","ev":"eqe","eq":"eq 2","eqn":2,"slot":7,)"
                             R"("address":"0x40","type":"CQ_ERR","cq":"shared","cqn":0,"owner":1,)"
                             R"("bytes":"01ab"})"
                             "\n");
    record = Record{};
    record.kind = Kind::Irq;
    record.unit = 5;
    record.a = 0x80;
    record.index = 9;
    CHECK(line_of(record) ==
          R"({"t":0,"src":"nic.tap","ev":"irq","vector":5,"address":"0x80","data":9})"
          "\n");
    record.kind = Kind::Ack;
    record.flags = kArms;
    CHECK(line_of(record) ==
          R"({"t":0,"src":"nic.tap","ev":"ack","eq":"eq 5","eqn":5,"ci":9,"arms":true})"
          "\n");
}

TEST_CASE("commands and their refusals are lines that name their object") {
    Record record;
    record.kind = Kind::Modify;
    record.qpn = Qpn{2};
    record.generation = 3;
    record.state = static_cast<std::uint8_t>(QpState::Sqd);
    record.flags = kNotifies;
    CHECK(line_of(record) ==
          R"({"t":0,"src":"nic.tap","ev":"modify","qp":"victim[0]","qpn":2,"generation":3,)"
          R"("state":"SQD","result":"ok","notify":true})"
          "\n");
    record.kind = Kind::Destroy;
    record.state = static_cast<std::uint8_t>(DestroyPhase::Done);
    CHECK(line_of(record) ==
          R"({"t":0,"src":"nic.tap","ev":"destroy","qp":"victim[0]","qpn":2,"generation":3,)"
          R"("phase":"done"})"
          "\n");
    record = Record{};
    record.kind = Kind::Modify;
    record.cqn = Cqn{0};
    record.index = 16;
    record.a = 4000;
    CHECK(line_of(record) ==
          R"({"t":0,"src":"nic.tap","ev":"modify","cq":"shared","cqn":0,"count":16,"period":4000})"
          "\n");
    record.kind = Kind::Destroy;
    record.state = static_cast<std::uint8_t>(DestroyPhase::Begun);
    CHECK(line_of(record) ==
          R"({"t":0,"src":"nic.tap","ev":"destroy","cq":"shared","cqn":0,"phase":"begun"})"
          "\n");
    record.kind = Kind::Refuse;
    record.state = static_cast<std::uint8_t>(CommandResult::Busy);
    record.index = 0;
    CHECK(
        line_of(record) ==
        R"({"t":0,"src":"nic.tap","ev":"refuse","cq":"shared","cqn":0,"result":"busy","offset":0})"
        "\n");
    record.cqn = kNoCq;
    record.unit = 1;
    record.state = static_cast<std::uint8_t>(CommandResult::Invalid);
    record.index = 64;
    CHECK(line_of(record) ==
          R"({"t":0,"src":"nic.tap","ev":"refuse","eq":"eq 1","eqn":1,"result":"invalid",)"
          R"("offset":64})"
          "\n");
}

TEST_CASE("S1.2 a use of an undefined field is a line that names it, and is read back") {
    Record record = of_qp(Kind::UndefinedRead);
    record.generation = 0;
    record.cqn = Cqn{0};
    record.state = static_cast<std::uint8_t>(WcStatus::WrFlushErr);
    record.a = static_cast<std::uint64_t>(WcField::Opcode);
    record.serial = 0xDE;
    CHECK(line_of(record) ==
          R"({"t":1500,"src":"nic.tap","ev":"undefined_read","cq":"shared","cqn":0,"slot":3,)"
          R"("qp":"victim[3]","qpn":5,"queue":"send","wr_id":"0x1000","status":"WR_FLUSH_ERR",)"
          R"("field":"opcode","value":222})"
          "\n");
    const TemporaryFile file;
    EventLogWriter writer(file.path(), small_header(), kAllKinds, nullptr);
    for (std::size_t i = 0; i < kWcFieldNames.size(); ++i) {
        record.a = std::uint64_t{1} << i;
        writer.observe({&record, 1});
    }
    writer.close();
    EventLogReader reader(file.path());
    for (std::size_t i = 0; i < kWcFieldNames.size(); ++i) {
        Record read;
        REQUIRE(reader.next(read));
        record.a = std::uint64_t{1} << i;
        read.source = record.source;
        CHECK(std::memcmp(&read, &record, sizeof(Record)) == 0);
    }
}

TEST_CASE("a value that has no name is written as its number") {
    Record record = of_qp(Kind::QpState);
    record.state = 99;
    record.a = static_cast<std::uint64_t>(QpState::Rts);
    CHECK(line_of(record) ==
          R"({"t":1500,"src":"nic.tap","ev":"qp_state","qp":"victim[3]","qpn":5,"generation":1,)"
          R"("state":99,"before":"RTS"})"
          "\n");
}

TEST_CASE("names keep the line a line") {
    RunHeader header = small_header();
    header.qp = {{"a \"b\"\\\n", 5, 1}};
    Record record = of_qp(Kind::Async);
    record.state = static_cast<std::uint8_t>(AsyncEvent::QpFatal);
    CHECK(line_of(record, header) == R"({"t":1500,"src":"nic.tap","ev":"async","event":"QP_FATAL",)"
                                     R"("qp":"a \"b\"\\\u000a","qpn":5})"
                                     "\n");
}

TEST_CASE("records of other kinds than asked for are left out") {
    const TemporaryFile file;
    const Trace trace = rich_trace();
    write_log(file.path(), trace, rich_header(), mask_of(Kind::End));
    const std::string text = file.read();
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("a kind that has no place in the log is an error, not a gap") {
    const TemporaryFile file;
    EventLogWriter writer(file.path(), small_header(), ~KindMask{0}, nullptr);
    Record record;
    record.kind = static_cast<Kind>(kKinds);
    writer.observe({&record, 1});
    CHECK_THROWS_WITH(writer.close(), Catch::Contains("'?'") && Catch::Contains(file.path()));
}

TEST_CASE("a log that cannot be created says why") {
    CHECK_THROWS_WITH(EventLogWriter("/no/such/folder/events.jsonl", {}, kAllKinds, nullptr),
                      "/no/such/folder/events.jsonl: cannot be written: No such file or directory");
}

TEST_CASE("a disk that fills is an error with the file's name, at once and at the end") {
    if (!std::filesystem::exists("/dev/full")) {
        WARN("skipped: this system has no /dev/full");
        return;
    }
    EventLogWriter writer("/dev/full", rich_header(), kAllKinds, nullptr);
    const char* what = "/dev/full: the event log is incomplete: No space left on device";
    CHECK(writer.error() == what);
    const Trace trace = rich_trace();
    writer.observe({trace.records().data(), trace.records().size()});
    CHECK_THROWS_WITH(writer.close(), what);
    CHECK_THROWS_AS(writer.close(), EventLogError);  // and stays so
}

}  // namespace cqsim::tb
