// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_reader.h"

#include "tb/unit/event_log_files.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace cqsim::tb {
namespace {

const std::string header_line =
    R"({"format":"cqsim-events","schema":1,"cqe_format":"native","index_width":32,)"
    R"("memory_ordering":"in_order","cq_full":"depth","cq_error":"sticky","cq_err":"once",)"
    R"("qp_fatal":"once","overrun_ignore":"off",)"
    R"("events":["ci","end"]})"
    "\n";
const std::string ci_line =
    R"({"t":5,"src":"host","ev":"ci","cq":"shared","cqn":0,"ci":7,"address":"0x80"})"
    "\n";

// What the reader says about a log, without the file's name.
std::string complaint(const std::string& text) {
    const TemporaryFile file(text);
    try {
        EventLogReader reader(file.path());
        Record record;
        while (reader.next(record)) {
        }
    } catch (const EventLogError& error) {
        const std::string what = error.what();
        REQUIRE(what.compare(0, file.path().size() + 1, file.path() + ":") == 0);
        return what.substr(file.path().size() + 1);
    }
    return "";
}

// The header with every policy, also those that may be left out.
std::string all_policies() {
    std::string line = header_line;
    for (const HeaderPolicy& policy : header_policies()) {
        if (policy.optional) {
            line.insert(line.rfind('}'),
                        std::string(",\"") + policy.key + "\":\"" +
                            std::string(policy.words.front()) + "\"");
        }
    }
    return line;
}

std::string with(const std::string& from, const std::string& to) {
    std::string line = ci_line;
    line.replace(line.find(from), from.size(), to);
    return complaint(header_line + ci_line + line);
}

}  // namespace

TEST_CASE("records of events and lives are read as they were written") {
    for (const Trace& trace : {event_trace(), life_trace()}) {
        const TemporaryFile file;
        RunHeader header = rich_header();
        header.eq = {{"aeq", 1, 1}};
        header.vectors = 2;
        header.arm = "level";
        header.moderation_break = false;
        header.eq_overflow = "drop";
        write_log(file.path(), trace, header);
        EventLogReader reader(file.path());
        CHECK(reader.header().eq_name(Eqn{1}) == "aeq");
        CHECK(reader.header().vectors == 2);
        CHECK(reader.header().arm == "level");
        CHECK_FALSE(reader.header().moderation_break);
        CHECK(reader.header().eq_overflow == "drop");
        Record read;
        for (const Record& written : trace.records()) {
            INFO("kind " << static_cast<unsigned>(written.kind));
            REQUIRE(reader.next(read));
            Record same = read;
            same.bytes = written.bytes;
            if (written.kind == Kind::Flush || written.kind == Kind::Ci) {
                same.serial = written.serial;  // mean nothing
            }
            CHECK(std::memcmp(&same, &written, sizeof(Record)) == 0);
        }
    }
}

TEST_CASE("what CQs can be made as, resizes, queries and undefined reads are read as written") {
    std::vector<Record> written;
    for (std::uint8_t format = 0; format < 3; ++format) {
        for (const unsigned flags :
             {0U, unsigned{kIgnoreOverrun}, kIgnoreOverrun + 0U + kCollapsed}) {
            Record create;
            create.kind = Kind::Create;
            create.cqn = Cqn{format};
            create.state = format;
            create.flags = static_cast<std::uint8_t>(flags);
            written.push_back(create);
        }
    }
    for (const ResizeMode mode : {ResizeMode::Marker, ResizeMode::CutOff}) {
        Record resize;
        resize.kind = Kind::Resize;
        resize.cqn = Cqn{1};
        resize.a = 0x1000;
        resize.index = 16;
        resize.b = 64;
        resize.wr_id = 9;
        resize.serial = 6;
        resize.state = static_cast<std::uint8_t>(mode);
        written.push_back(resize);
    }
    for (std::uint8_t n = 0; n < 3; ++n) {
        Record query;
        query.kind = Kind::Query;
        query.cqn = Cqn{1};
        query.index = 7;
        query.a = 5;
        query.wr_id = 16;
        query.state = n == 0 ? 2 : 1;
        query.b = n;
        written.push_back(query);
    }
    Record read;
    read.kind = Kind::UndefinedRead;
    read.cqn = Cqn{1};
    read.qpn = Qpn{2};
    read.queue = QueueKind::Receive;
    read.index = 3;
    read.wr_id = 77;
    read.state = static_cast<std::uint8_t>(WcStatus::WrFlushErr);
    read.a = 4;
    written.push_back(read);

    const TemporaryFile file;
    EventLogWriter writer(file.path(), rich_header(), kAllKinds, nullptr);
    writer.observe({written.data(), written.size()});
    writer.close();
    EventLogReader reader(file.path());
    for (const Record& record : written) {
        INFO("kind " << static_cast<unsigned>(record.kind));
        REQUIRE(reader.next(read));
        CHECK(std::memcmp(&read, &record, sizeof(Record)) == 0);
    }
}

TEST_CASE("the format of a CQ that does not say it is the header's") {
    std::string header = header_line;
    header.replace(header.find("native"), 6, "mlx5");
    const TemporaryFile file(header + R"({"t":0,"src":"","ev":"create","cqn":0,"ring":"0x0",)"
                                      R"("doorbell":"0x0","depth":8,"stride":64,"first_index":0,)"
                                      R"("eqn":65535})");
    EventLogReader reader(file.path());
    Record read;
    REQUIRE(reader.next(read));
    CHECK(read.state == static_cast<unsigned>(CqeFormat::Mlx5));
}

TEST_CASE("S6.23 DEVICE_FATAL names its event queue or none, and no other event names one") {
    const auto line = [](const char* event, const char* eqn) {
        return header_line + R"({"t":5,"src":"nic","ev":"async","event":")" + event + '"' + eqn +
               "}\n";
    };
    for (const bool named : {false, true}) {
        const TemporaryFile file(line("DEVICE_FATAL", named ? R"(,"eqn":3)" : ""));
        EventLogReader reader(file.path());
        Record read;
        REQUIRE(reader.next(read));
        CHECK(read.unit == (named ? 3 : kNoEqn));
    }
    CHECK(complaint(line("PORT_ERR", "")).empty());
    CHECK_FALSE(complaint(line("PORT_ERR", R"(,"eqn":3)")).empty());
}

TEST_CASE("what was written is read again, record by record") {
    const TemporaryFile file;
    const Trace trace = rich_trace();
    write_log(file.path(), trace, rich_header());
    EventLogReader reader(file.path());
    CHECK(reader.header().scenario == "rich");
    CHECK(reader.header().seed == 7);
    CHECK(reader.header().index_width == kRichIndexWidth);
    CHECK(reader.header().qp_name(Qpn{1}) == "victim[1]");
    CHECK(reader.header().cq_name(Cqn{1}) == "other");
    Record read;
    std::size_t count = 0;
    for (const Record& written : trace.records()) {
        INFO("record " << count << " of kind " << static_cast<unsigned>(written.kind));
        REQUIRE(reader.next(read));
        CHECK(reader.source_name(read.source) == "nic");
        CHECK((read.bytes == nullptr) == (written.bytes == nullptr));
        if (written.bytes != nullptr) {
            CHECK(std::memcmp(read.bytes, written.bytes, written.b) == 0);
        }
        Record same = read;
        same.bytes = written.bytes;
        if (written.kind == Kind::Flush || written.kind == Kind::Ci) {
            same.serial = written.serial;  // mean nothing
        }
        CHECK(std::memcmp(&same, &written, sizeof(Record)) == 0);
        ++count;
    }
    CHECK_FALSE(reader.next(read));
}

TEST_CASE("a log of RTL monitors may have spaces, other orders, no names, and no last line feed") {
    CHECK(complaint(header_line + ci_line).empty());
    CHECK(complaint(header_line + "\t{ \"ev\" : \"ci\", \"src\":\"\\u0041\\n\", \"t\":5 , "
                                  "\"address\":\"0xFF\",\"ci\":7,\"cqn\":0 }\r\n")
              .empty());
    CHECK(complaint(header_line + ci_line.substr(0, ci_line.size() - 1)).empty());
}

TEST_CASE("a foreign file is told from an event log") {
    const std::string wanted =
        R"(1:1: not an events.jsonl of cqsim: the first line should be {"format":"cqsim-events",)"
        R"("schema":1,...})";
    CHECK(complaint("") == wanted);
    CHECK(complaint("$date today $end\n") == wanted);
    CHECK(complaint("[1,2]\n") == wanted);
    CHECK(complaint("{\"format\":3}\n") == wanted);
    CHECK(complaint(ci_line) == wanted);
    CHECK(complaint(std::string("\x7f\x45\x4c\x46\0\0\n", 7)) == wanted);
}

TEST_CASE("a header that is wrong says what") {
    CHECK(complaint("{\"format\":\"cqsim-events\",\"schema\":2}\n") ==
          "1:1: schema 2; this program reads schema 1");
    CHECK(complaint("{\"format\":\"cqsim-events\",\"schema\":1}\n") ==
          "1:1: the header: key 'cqe_format' not found");
    std::string kind = header_line;
    kind.replace(kind.find("\"ci\""), 4, "\"cx\"");
    CHECK(complaint(kind) == "1:1: the header names \"cx\", which is no kind of record");
}

TEST_CASE("a policy that no checker knows, or none, is refused with its place") {
    for (const HeaderPolicy& policy : header_policies()) {
        const std::string said = std::string("\"") + policy.key + "\":\"";
        const std::string whole = all_policies();
        const std::size_t column = whole.find(said) + said.size();
        const std::string_view first = policy.words.front();
        CAPTURE(policy.key);
        for (const std::string other : {"\"other\"", "1", "null"}) {
            std::string line = whole;
            line.replace(column - 1, first.size() + 2, other);
            const std::string begin =
                "1:" + std::to_string(column) + ": \"" + policy.key + "\" should be " +
                (policy.words.size() == 1 ? "\"" : "one of ") + std::string(first);
            CHECK_THAT(complaint(line), Catch::StartsWith(begin));
            CHECK_THAT(complaint(line), Catch::EndsWith(": the checkers know nothing else"));
        }
        for (const std::string_view word : policy.words) {
            std::string line = whole;
            line.replace(column, first.size(), word);
            const TemporaryFile file(line);
            CHECK(EventLogReader(file.path()).header().*policy.value == word);
        }
        std::string line = whole;
        line.replace(column - said.size() - 1, said.size() + first.size() + 2, "");
        CHECK(complaint(line) == (policy.optional ? ""
                                                  : std::string("1:1: the header: key '") +
                                                        policy.key + "' not found"));
    }
}

TEST_CASE("a header that is cut short is told from a foreign file") {
    for (const std::size_t length : {std::size_t{2}, std::size_t{20}, header_line.size() - 2}) {
        CHECK(complaint(header_line.substr(0, length)) ==
              "1:" + std::to_string(length + 1) +
                  ": the header is not whole; the file is cut short in this line");
    }
}

TEST_CASE("a mistake in a record is told with line and column") {
    CHECK(with("\"ev\":\"ci\"", "\"ev\":\"cqe\"").substr(0, 68) ==
          "3:26: \"ev\" should be one of post, complete, suppress, request, grant");
    CHECK(with("\"cqn\":0", "\"cqn\":\"0\"") == "3:51: \"cqn\" should be a number");
    CHECK(with("\"cqn\":0,", "") == "3:69: the field \"cqn\" is missing");
    CHECK(with("\"cqn\":0,", "\"cqn\":0,\"cqm\":0,") ==
          "3:53: a record of kind \"ci\" has no field \"cqm\"");
    CHECK(with("\"cqn\":0,", "\"cqn\":0,\"cqn\":1,") == "3:53: \"cqn\" is there twice");
    CHECK(with("\"ci\":7", "\"ci\":4294967296") ==
          "3:58: \"ci\" should be at most 4294967295, not 4294967296");
    CHECK(with("\"ci\":7", "\"ci\":18446744073709551616") ==
          "3:58: \"ci\" does not fit in 64 bits");
    for (const char* bad : {"-7", "7.5", "7e3", "null", "[7]", "{}"}) {
        CHECK(with("\"ci\":7", std::string("\"ci\":") + bad) ==
              "3:58: \"ci\" should be a whole number from 0, a string, true or false");
    }
    CHECK(with("0x80", "80") ==
          "3:70: \"address\" should be a string \"0x...\" of up to 16 hexadecimal digits");
    CHECK(with("\"src\":\"host\"", "\"src\":5") == "3:14: \"src\" should be a string");
    CHECK(with("\"cq\":\"shared\"", "\"cq\":1") == "3:36: \"cq\" should be a string");
    CHECK(with("{", "") == "3:1: '{' should be here, where the record begins, not '\"'");
    CHECK(with("}", "}x") == "3:77: the line should end behind the record");
}

TEST_CASE("values by name say what names there are") {
    const std::string end = R"({"t":5,"src":"nic","ev":"end","reason":"tired",)"
                            R"("open_sends":0,"open_receives":0})";
    CHECK(complaint(header_line + end) ==
          "2:40: \"reason\" should be one of idle, end, stalled; the "
          "file is cut short in this line");
    const std::string poll =
        R"({"t":5,"src":"nic","ev":"poll","cqn":0,"slot":0,"address":"0x0","qpn":0,"queue":"send",)"
        R"("wr_id":"0x0","status":"SUCCESS","owner":OWNER,"bytes":"BYTES"})"
        "\n";
    const auto poll_with = [&](const std::string& owner, const std::string& bytes) {
        std::string line = poll;
        line.replace(line.find("OWNER"), 5, owner);
        line.replace(line.find("BYTES"), 5, bytes);
        return complaint(header_line + line);
    };
    CHECK(poll_with("1", "00ff").empty());
    CHECK(poll_with("2", "00ff") == "2:129: \"owner\" should be 0 or 1");
    for (const char* bad : {"", "0", "0g"}) {
        CHECK(poll_with("0", bad) ==
              "2:139: \"bytes\" should be a string of 1 to 128 bytes, two "
              "hexadecimal digits each");
    }
}

TEST_CASE("a log that is cut short inside a line is told so") {
    const std::string cut = header_line + ci_line + ci_line;
    CHECK(complaint(cut.substr(0, cut.size() - 3)) ==
          "3:75: the line ends inside a string; the file is cut short in this line");
    CHECK(complaint(cut.substr(0, cut.size() - 30)) ==
          "3:48: the line ends inside a string; the file is cut short in this line");
    // Every cut inside a record is found.
    for (std::size_t left = 1; left + 1 < ci_line.size(); ++left) {
        CHECK_FALSE(complaint(header_line + ci_line + ci_line.substr(0, left)).empty());
    }
}

TEST_CASE("a missing file and a directory are told apart") {
    CHECK_THROWS_WITH(EventLogReader("/no/such/events.jsonl"),
                      "/no/such/events.jsonl: cannot be read: No such file or directory");
    const std::string folder = std::filesystem::temp_directory_path().string();
    CHECK_THROWS_WITH(EventLogReader(folder),
                      folder + ": is a directory; it should be an events.jsonl");
}

}  // namespace cqsim::tb
