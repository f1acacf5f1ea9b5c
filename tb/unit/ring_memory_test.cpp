// SPDX-License-Identifier: Apache-2.0
// The memory behind its four sockets: latency, bandwidth, order, protocol (D1, S3.6).
#include "tb/unit/ring_memory_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// 600 ns to write, 800 ns to read; bytes a second.
MemoryConfig config_of(std::uint64_t bandwidth) {
    MemoryConfig config;
    config.write_latency = from_ns(600);
    config.read_latency = from_ns(800);
    config.bandwidth = bandwidth;
    return config;
}

}  // namespace

TEST_CASE("D1 a write is visible one latency after its request and not before") {
    MemoryBench bench("bench", config_of(0));
    bench.agenda.at(from_ns(10), [&] { bench.write(128, 0x5A); });
    bench.agenda.at(TimePs{609'999}, [&] {
        CHECK(bench.byte_at(128) == 0);
        CHECK(bench.memory.pending() == 1);
        CHECK(bench.dma.begun == 1);
    });
    run_to_the_end();
    CHECK(bench.byte_at(128) == 0x5A);
    CHECK(bench.byte_at(191) == 0x5A);
    CHECK(bench.byte_at(192) == 0);
    CHECK(bench.byte_at(127) == 0);
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page + 128, from_ns(610), kOk}});
    CHECK(bench.watched == std::vector<std::uint64_t>{bench.page + 128});
    CHECK(bench.memory.pending() == 0);
    CHECK(bench.dma.freed == 1);
}

TEST_CASE("D7 writes share the bandwidth of the path one after the other") {
    MemoryBench bench("bench", config_of(1'000'000'000));  // 64 bytes take 64 ns
    bench.agenda.at(from_ns(0), [&] {
        bench.write(0, 1);
        bench.write(64, 2);
    });
    bench.agenda.at(from_ns(100), [&] { bench.write(128, 3); });  // begins at 128 ns
    bench.agenda.at(from_ns(1'000), [&] { bench.write(192, 4); });
    run_to_the_end();
    const std::uint64_t page = bench.page;
    CHECK(bench.dma.responses == std::vector<Response>{{page, from_ns(664), kOk},
                                                       {page + 64, from_ns(728), kOk},
                                                       {page + 128, from_ns(792), kOk},
                                                       {page + 192, from_ns(1'664), kOk}});
    CHECK(bench.dma.freed == 4);
}

TEST_CASE("D1 the delay annotated to a request counts before its latency") {
    MemoryBench bench("bench", config_of(0));
    bench.agenda.at(from_ns(10), [&] { bench.write(0, 1, from_ns(7)); });
    run_to_the_end();
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page, from_ns(617), kOk}});
}

TEST_CASE("S3.6 writes become visible in the order of issue") {
    MemoryBench bench("bench", config_of(0));
    bench.agenda.at(from_ns(10), [&] {
        bench.write(64, 1, from_ns(50));
        bench.write(0, 2);
    });
    run_to_the_end();
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page + 64, from_ns(660), kOk},
                                                       {bench.page, from_ns(660), kOk}});
    CHECK(bench.watched == std::vector<std::uint64_t>{bench.page + 64, bench.page});
}

TEST_CASE("S6.15 writes of both DMA sockets share the path and its order") {
    MemoryBench bench("bench", config_of(1'000'000'000));  // 64 bytes take 64 ns
    bench.agenda.at(from_ns(0), [&] {
        bench.write(0, 1);
        bench.event_dma.send(tlm::TLM_WRITE_COMMAND, bench.page + 64, 2);
        bench.write(128, 3);
    });
    bench.agenda.at(from_ns(750), [&] {  // the second is visible, the third is not
        CHECK(bench.byte_at(64) == 2);
        CHECK(bench.byte_at(128) == 0);
        CHECK(bench.memory.pending() == 1);
    });
    run_to_the_end();
    const std::uint64_t page = bench.page;
    CHECK(bench.dma.responses ==
          std::vector<Response>{{page, from_ns(664), kOk}, {page + 128, from_ns(792), kOk}});
    CHECK(bench.event_dma.responses == std::vector<Response>{{page + 64, from_ns(728), kOk}});
    CHECK(bench.watched == std::vector<std::uint64_t>{page, page + 64, page + 128});
}

TEST_CASE("S6.15 a response that one DMA socket has not ended holds up the other's in order") {
    MemoryBench bench("bench", config_of(0));
    bench.dma.answer = Initiator::Answer::EndsLater;
    bench.agenda.at(from_ns(0), [&] {
        bench.write(0, 1);
        bench.write(64, 2);
        bench.event_dma.send(tlm::TLM_WRITE_COMMAND, bench.page + 128, 3);
    });
    bench.agenda.at(from_ns(700), [&] {
        CHECK(bench.byte_at(64) == 0);
        CHECK(bench.byte_at(128) == 0);
        bench.dma.answer = Initiator::Answer::Completed;
        bench.dma.end_response();
    });
    run_to_the_end();
    CHECK(bench.watched ==
          std::vector<std::uint64_t>{bench.page, bench.page + 64, bench.page + 128});
    CHECK(bench.event_dma.responses ==
          std::vector<Response>{{bench.page + 128, from_ns(700), kOk}});
}

TEST_CASE("D1 the device reads what lies in memory one read latency after its request") {
    MemoryBench bench("bench", config_of(0));
    tlm::tlm_generic_payload* read = nullptr;
    bench.agenda.at(from_ns(10), [&] {
        read = &bench.reads.send(tlm::TLM_READ_COMMAND, bench.page);
        read->acquire();  // to look at the bytes afterwards
    });
    bench.agenda.at(TimePs{809'999},
                    [&] { *bench.memory.bytes().at(bench.page, 1) = std::byte{0x77}; });
    bench.agenda.at(from_ns(811),
                    [&] { *bench.memory.bytes().at(bench.page, 1) = std::byte{0x88}; });
    run_to_the_end();
    CHECK(bench.reads.responses == std::vector<Response>{{bench.page, from_ns(810), kOk}});
    REQUIRE(read != nullptr);
    CHECK(unsigned{read->get_data_ptr()[0]} == 0x77);
    read->release();
    CHECK(bench.reads.freed == 1);
    CHECK(bench.watched.empty());
}

TEST_CASE("D1 a read does not wait for the writes in flight") {
    MemoryBench bench("bench", config_of(1'000'000));  // 64 bytes take 64 us
    bench.agenda.at(from_ns(0), [&] {
        bench.write(0, 1);
        bench.reads.send(tlm::TLM_READ_COMMAND, bench.page);
    });
    run_to_the_end();
    CHECK(bench.reads.responses == std::vector<Response>{{bench.page, from_ns(800), kOk}});
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page, from_ns(64'600), kOk}});
}

TEST_CASE("S5.3j an access outside the allocated pages gets an address error in its turn") {
    MemoryBench bench("bench", config_of(0));
    const std::uint64_t beyond = bench.page + HostMemory::kPage - 32;  // half of it is inside
    bench.agenda.at(from_ns(0), [&] {
        bench.dma.send(tlm::TLM_WRITE_COMMAND, beyond, 0xFF);
        bench.write(0, 1);
        bench.reads.send(tlm::TLM_READ_COMMAND, 0);
    });
    run_to_the_end();
    constexpr tlm::tlm_response_status kAddress = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    CHECK(bench.dma.responses ==
          std::vector<Response>{{beyond, from_ns(600), kAddress}, {bench.page, from_ns(600), kOk}});
    CHECK(bench.reads.responses == std::vector<Response>{{0, from_ns(800), kAddress}});
    CHECK(bench.byte_at(HostMemory::kPage - 32) == 0);  // nothing of it was written
}

TEST_CASE("D1 byte enables and streaming are refused and change nothing") {
    MemoryBench bench("bench", config_of(0));
    unsigned char enable = 0xFF;
    bench.agenda.at(from_ns(0), [&] {
        bench.dma.send_odd(tlm::TLM_WRITE_COMMAND, bench.page, [&](auto& payload) {
            payload.get_data_ptr()[0] = 0x11;
            payload.set_byte_enable_ptr(&enable);
            payload.set_byte_enable_length(1);
        });
        bench.dma.send_odd(tlm::TLM_WRITE_COMMAND, bench.page, [](auto& payload) {
            payload.get_data_ptr()[0] = 0x22;
            payload.set_streaming_width(32);
        });
    });
    run_to_the_end();
    CHECK(bench.dma.responses ==
          std::vector<Response>{{bench.page, from_ns(600), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
                                {bench.page, from_ns(600), tlm::TLM_BURST_ERROR_RESPONSE}});
    CHECK(bench.byte_at(0) == 0);
}

TEST_CASE("D1 each device socket takes its own command and refuses others at once") {
    MemoryBench bench("bench", config_of(0));
    bench.agenda.at(from_ns(3), [&] {
        bench.dma.send(tlm::TLM_READ_COMMAND, bench.page);
        bench.reads.send(tlm::TLM_WRITE_COMMAND, bench.page, 0xFF);
        bench.dma.send(tlm::TLM_IGNORE_COMMAND, bench.page);
    });
    run_to_the_end();
    constexpr tlm::tlm_response_status kCommand = tlm::TLM_COMMAND_ERROR_RESPONSE;
    const Response refused{bench.page, from_ns(3), kCommand};
    CHECK(bench.dma.responses == std::vector<Response>{refused, refused});
    CHECK(bench.reads.responses == std::vector<Response>{refused});
    CHECK(bench.byte_at(0) == 0);
    CHECK(bench.dma.freed == 2);
}

TEST_CASE("D1 a 4-phase initiator gets the next response when it has ended the one before") {
    MemoryBench bench("bench", config_of(0));
    bench.dma.answer = Initiator::Answer::EndsLater;
    bench.agenda.at(from_ns(0), [&] {
        bench.write(0, 1);
        bench.write(64, 2);
    });
    bench.agenda.at(from_ns(650), [&] {
        CHECK(bench.dma.responses.size() == 1);
        CHECK(bench.byte_at(64) == 0);
        bench.dma.end_response();
    });
    bench.agenda.at(from_ns(700), [&] { bench.dma.end_response(); });
    bench.agenda.at(from_ns(800), [&] { bench.write(128, 3); });
    bench.agenda.at(from_ns(2'000), [&] { bench.dma.end_response(); });
    run_to_the_end();
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page, from_ns(600), kOk},
                                                       {bench.page + 64, from_ns(650), kOk},
                                                       {bench.page + 128, from_ns(1'400), kOk}});
    CHECK(bench.dma.freed == 3);
}

TEST_CASE("D1 an initiator may end a response in its answer or before it answers") {
    MemoryBench bench("bench", config_of(0));
    for (const auto answer : {Initiator::Answer::Updated, Initiator::Answer::EndsFromInside}) {
        bench.agenda.at(from_ns(answer == Initiator::Answer::Updated ? 0 : 1'000), [&, answer] {
            bench.dma.answer = answer;
            bench.write(0, 1);
            bench.write(64, 2);
        });
    }
    run_to_the_end();
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page, from_ns(600), kOk},
                                                       {bench.page + 64, from_ns(600), kOk},
                                                       {bench.page, from_ns(1'600), kOk},
                                                       {bench.page + 64, from_ns(1'600), kOk}});
    CHECK(bench.dma.freed == 4);
}

TEST_CASE("D1 the delay annotated to the end of a response keeps the next one back") {
    MemoryBench bench("bench", config_of(0));
    bench.dma.end_delay = from_ns(20);
    constexpr Initiator::Answer kAnswers[] = {Initiator::Answer::Completed,
                                              Initiator::Answer::Updated,
                                              Initiator::Answer::EndsFromInside};
    std::vector<Response> expected;
    for (std::uint64_t i = 0; i < 3; ++i) {
        const TimePs t = from_ns(i * 1'000);
        bench.agenda.at(t, [&, i] {
            bench.dma.answer = kAnswers[i];
            bench.write(0, 1);
            bench.write(64, 2);
        });
        expected.push_back({bench.page, t + from_ns(600), kOk});
        expected.push_back({bench.page + 64, t + from_ns(620), kOk});
    }
    run_to_the_end();
    CHECK(bench.dma.responses == expected);
    CHECK(bench.dma.freed == 6);
}

TEST_CASE("P8 the end of a response that is over is an error of the wiring") {
    MemoryBench bench("bench", config_of(0));
    std::string message;
    bench.agenda.at(from_ns(0), [&] { bench.write(0, 1); });
    bench.agenda.at(from_ns(700), [&] {
        tlm::tlm_generic_payload payload;
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        try {
            bench.dma.socket->nb_transport_fw(payload, phase, delay);
        } catch (const sc_core::sc_report& report) {
            message = report.get_msg_type();
        }
        phase = ignorable_phase;  // but this may come at any time
        CHECK(bench.dma.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
        CHECK(bench.host.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
    });
    sc_core::sc_start();
    CHECK(message == "/cqsim/ring/protocol");
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page, from_ns(600), kOk}});
}

TEST_CASE("D1 the host reads and writes in zero time") {
    MemoryBench bench("bench", config_of(0));
    std::array<unsigned char, 64> bytes{};
    bytes.fill(0x3C);
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    set_bytes(payload, tlm::TLM_WRITE_COMMAND, bench.page + 64, bytes.data(), 64);
    bench.agenda.at(from_ns(5), [&] {
        bench.host.socket->b_transport(payload, delay);
        CHECK(payload.is_response_ok());
        CHECK(bench.byte_at(127) == 0x3C);
        bytes.fill(0);
        payload.set_command(tlm::TLM_READ_COMMAND);
        bench.host.socket->b_transport(payload, delay);
        CHECK(unsigned{bytes[63]} == 0x3C);
        CHECK(delay == sc_core::SC_ZERO_TIME);
        payload.set_address(bench.page + HostMemory::kPage);
        bench.host.socket->b_transport(payload, delay);
        CHECK(payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    run_to_the_end();
}

TEST_CASE("D1 debug access answers how many bytes it moved and takes no time") {
    MemoryBench bench("bench", config_of(0));
    std::array<unsigned char, 64> bytes{};
    bytes.fill(0x4D);
    tlm::tlm_generic_payload payload;
    set_bytes(payload, tlm::TLM_WRITE_COMMAND, bench.page, bytes.data(), 64);
    bench.agenda.at(from_ns(5), [&] {
        CHECK(bench.host.socket->transport_dbg(payload) == 64);
        CHECK(bench.byte_at(0) == 0x4D);
        payload.set_command(tlm::TLM_READ_COMMAND);
        CHECK(bench.dma.socket->transport_dbg(payload) == 64);
        payload.set_address(0);
        CHECK(bench.host.socket->transport_dbg(payload) == 0);
        CHECK(bench.reads.socket->transport_dbg(payload) == 0);
    });
    run_to_the_end();
}

TEST_CASE("D1 a blocking access of the device is annotated with its latency") {
    MemoryBench bench("bench", config_of(0));
    std::array<unsigned char, 64> bytes{};
    tlm::tlm_generic_payload payload;
    set_bytes(payload, tlm::TLM_WRITE_COMMAND, bench.page, bytes.data(), 64);
    sc_core::sc_time delay(1, sc_core::SC_NS);
    bench.agenda.at(from_ns(5), [&] {
        bench.dma.socket->b_transport(payload, delay);
        CHECK(delay == sc_core::sc_time(601, sc_core::SC_NS));
        payload.set_command(tlm::TLM_READ_COMMAND);
        bench.reads.socket->b_transport(payload, delay);
        CHECK(delay == sc_core::sc_time(1'401, sc_core::SC_NS));
    });
    run_to_the_end();
}
