// SPDX-License-Identifier: Apache-2.0
// The doorbell unit at its sockets (S6.11, S6.22, D1).
#include "models/doorbell/doorbell_unit.h"

#include "tb/unit/agenda.h"
#include "tb/unit/record_list.h"

#include <array>
#include <vector>

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Result = CommandResult;

constexpr std::uint64_t kBar = 0xFE00'1000;

/// One call to the event arbiter.
struct Notified {
    TimePs at{};
    std::uint32_t number = 0;  ///< cqn or eqn
    std::uint32_t consumer = 0;
    bool of_eq = false;
    bool special = false;  ///< solicited, or arms

    friend bool operator==(const Notified& l, const Notified& r) {
        return l.at == r.at && l.number == r.number && l.consumer == r.consumer &&
               l.of_eq == r.of_eq && l.special == r.special;
    }
    friend std::ostream& operator<<(std::ostream& out, const Notified& call) {
        return out << (call.of_eq ? "eq " : "cq ") << call.number << " at " << call.at.ps
                   << " index " << call.consumer << (call.special ? " special" : "");
    }
};

/// The unit between an initiator and the owners of CQs and events, which are the test's own.
class DoorbellBench final : public sc_core::sc_module,
                            private tlm::tlm_bw_transport_if<>,
                            private NotifyForward,
                            private ConsumerForward {
  public:
    explicit DoorbellBench(const sc_core::sc_module_name& module_name,
                           ConsumerPath path = ConsumerPath::Record)
        : sc_module(module_name),
          unit("unit", timeline, records, DoorbellConfig{kBar, 8, path, 4}) {
        mmio.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        m_notify.bind(static_cast<NotifyForward&>(*this));
        mmio.bind(unit.mmio_tsock);
        unit.notify_isock.bind(m_notify);
        m_consumers.bind(static_cast<ConsumerForward&>(*this));
        unit.consumer_isock.bind(m_consumers);
    }

    /// A payload that writes a register; its bytes are gone when the call is over.
    tlm::tlm_generic_payload& prepared(std::uint64_t offset, std::uint64_t value) {
        for (unsigned i = 0; i < 8; ++i) {
            bytes[i] = static_cast<unsigned char>(value >> (8 * i));
        }
        set_bytes(m_payload, tlm::TLM_WRITE_COMMAND, kBar + offset, bytes.data(), 8);
        return m_payload;
    }
    /// Sends it by b_transport.
    void send(TimePs delay = {}) {
        sc_core::sc_time annotated = to_sc_time(delay);
        mmio->b_transport(m_payload, annotated);
        CHECK(annotated == to_sc_time(delay));
        bytes.fill(0xFF);
    }
    void write(std::uint64_t offset, std::uint64_t value, TimePs delay = {}) {
        prepared(offset, value);
        send(delay);
        CHECK(m_payload.get_response_status() == tlm::TLM_OK_RESPONSE);
    }
    void arm(std::uint32_t cqn, std::uint32_t consumer, TimePs delay = {}) {
        write(bar::kCqArm, bar::cq_arm(Cqn{cqn}, consumer, ArmKind::Next), delay);
    }
    tlm::tlm_response_status status() const { return m_payload.get_response_status(); }

    KernelTimeline timeline{"timeline"};
    Agenda agenda{timeline, Rank::Script};
    RecordStream records;
    RecordList refusals{records, mask_of(Kind::Refuse)};
    DoorbellUnit unit;
    tlm::tlm_initiator_socket<> mmio{"mmio"};
    std::vector<Notified> notified;
    std::vector<Notified> returned;  ///< special: an increment
    Result consumer_result = Result::Ok;
    Result arm_result = Result::Ok;
    Result eq_result = Result::Ok;
    std::array<unsigned char, 8> bytes{};

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&,
                                       tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        FAIL_CHECK("nothing comes back");
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    Result arm(Cqn cqn, std::uint32_t consumer, ArmKind kind) override {
        notified.push_back(
            {timeline.now(), index_of(cqn), consumer, false, kind == ArmKind::Solicited});
        return arm_result;
    }
    Result eq_consumer(Eqn eqn, std::uint32_t consumer, bool arms) override {
        notified.push_back({timeline.now(), static_cast<std::uint32_t>(eqn), consumer, true, arms});
        return eq_result;
    }

    Result consumer_written(Cqn cqn, std::uint32_t consumer) override {
        returned.push_back({timeline.now(), index_of(cqn), consumer, false, false});
        return consumer_result;
    }
    Result credit_written(Cqn cqn, std::uint32_t increment) override {
        returned.push_back({timeline.now(), index_of(cqn), increment, false, true});
        return consumer_result;
    }

    NotifyTarget m_notify{"notify"};
    ConsumerTarget m_consumers{"consumers"};
    tlm::tlm_generic_payload m_payload;
};

/// All refusals of one cause, and one record of it.
void check_refused(DoorbellBench& bench, DoorbellRefusal refusal, Result result, unsigned offset) {
    for (std::size_t i = 0; i < kDoorbellRefusals; ++i) {
        const auto cause = static_cast<DoorbellRefusal>(i);
        CHECK(bench.unit.refused(cause) == (cause == refusal ? 1 : 0));
    }
    const std::vector<Record>& records = bench.refusals.all();
    REQUIRE(records.size() == 1);
    CHECK(records[0].kind == Kind::Refuse);
    CHECK(records[0].state == static_cast<std::uint8_t>(result));
    CHECK(records[0].index == offset);
    CHECK(bench.records.source_name(records[0].source) == "bench.unit");
}

}  // namespace

TEST_CASE("S6.11 S6.22 a write has its effect in the call") {
    DoorbellBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.write(0x20, 0x0000'0007'0000'0003);
        bench.write(0x20, 0x0000'0008'0100'0004);
        bench.write(0x40, 0x0001'0000'0000'0005);
        bench.write(0x48, 0x0000'0009'0000'0006);
        CHECK(bench.notified.size() == 4);
    });
    run_to_the_end();
    CHECK(bench.notified == std::vector<Notified>{{from_ns(10), 3, 7, false, false},
                                                  {from_ns(10), 4, 8, false, true},
                                                  {from_ns(10), 5, 0x1'0000, true, true},
                                                  {from_ns(10), 6, 9, true, false}});
    CHECK(bench.refusals.all().empty());
}

TEST_CASE("D1 a write has its effect when its annotated delay is over, and none passes another") {
    DoorbellBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.arm(1, 0, from_ns(50));
        bench.arm(2, 0, from_ns(30));  // does not pass
        bench.arm(3, 0);
        bench.arm(4, 0, from_ns(60));
        CHECK(bench.notified.empty());
        CHECK(bench.unit.pending() == 4);
    });
    bench.agenda.at(from_ns(70), [&] { CHECK(bench.unit.pending() == 1); });
    bench.agenda.at(from_ns(100), [&] { bench.arm(5, 0); });
    run_to_the_end();
    CHECK(bench.notified == std::vector<Notified>{{from_ns(60), 1, 0, false, false},
                                                  {from_ns(60), 2, 0, false, false},
                                                  {from_ns(60), 3, 0, false, false},
                                                  {from_ns(70), 4, 0, false, false},
                                                  {from_ns(100), 5, 0, false, false}});
    CHECK(bench.unit.pending() == 0);
}

TEST_CASE("D1 a non-blocking write is completed in its BEGIN_REQ, its delay kept") {
    DoorbellBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        for (const std::uint64_t delay_ns : {0U, 20U}) {
            tlm::tlm_generic_payload& payload =
                bench.prepared(0x48, bar::eq_index(Eqn{6}, static_cast<std::uint32_t>(delay_ns)));
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = to_sc_time(from_ns(delay_ns));
            CHECK(bench.mmio->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED);
            CHECK(delay == to_sc_time(from_ns(delay_ns)));
            CHECK(payload.get_response_status() == tlm::TLM_OK_RESPONSE);
        }
        tlm::tlm_generic_payload& reserved = bench.prepared(0x50, 0);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        CHECK(bench.mmio->nb_transport_fw(reserved, phase, delay) == tlm::TLM_COMPLETED);
        CHECK(reserved.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    run_to_the_end();
    CHECK(bench.notified == std::vector<Notified>{{from_ns(10), 6, 0, true, false},
                                                  {from_ns(30), 6, 20, true, false}});
}

TEST_CASE("D1 a phase that cannot follow is an error of wiring, one of a user's own is ignored") {
    DoorbellBench bench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    tlm::tlm_generic_payload& payload = bench.prepared(0x20, 0);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    for (const tlm::tlm_phase& wrong : {tlm::tlm_phase(tlm::END_RESP),
                                        tlm::tlm_phase(tlm::END_REQ),
                                        tlm::tlm_phase(tlm::BEGIN_RESP)}) {
        tlm::tlm_phase phase = wrong;
        CHECK_THROWS_WITH(bench.mmio->nb_transport_fw(payload, phase, delay),
                          Catch::Contains("bench.unit completes a request in its BEGIN_REQ"));
    }
    tlm::tlm_phase own(17);
    CHECK(bench.mmio->nb_transport_fw(payload, own, delay) == tlm::TLM_ACCEPTED);
    CHECK(bench.notified.empty());
}

TEST_CASE("D5 what is no write of a register gets its error response and has no effect") {
    DoorbellBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.prepared(0x38, 0);
        bench.send();
        CHECK(bench.status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        bench.prepared(0x20, 0).set_address(0x20);  // the BAR does not lie there
        bench.send();
        CHECK(bench.status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        bench.prepared(0x20, 0).set_read();
        bench.send();
        CHECK(bench.status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
        bench.prepared(0x20, 0).set_command(tlm::TLM_IGNORE_COMMAND);
        bench.send();
        CHECK(bench.status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
        bench.prepared(0x20, 0).set_data_length(4);
        bench.send(from_ns(5));
        CHECK(bench.status() == tlm::TLM_BURST_ERROR_RESPONSE);
        bench.prepared(0x20, 0).set_streaming_width(4);
        bench.send();
        CHECK(bench.status() == tlm::TLM_BURST_ERROR_RESPONSE);
        bench.prepared(0x20, 0).set_byte_enable_ptr(bench.bytes.data());
        bench.send();
        CHECK(bench.status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        tlm::tlm_dmi dmi;
        CHECK_FALSE(bench.mmio->get_direct_mem_ptr(bench.prepared(0x20, 0), dmi));
        CHECK(bench.mmio->transport_dbg(bench.prepared(0x20, 0)) == 0);
    });
    run_to_the_end();
    CHECK(bench.notified.empty());
    CHECK(bench.refusals.all().empty());
}

TEST_CASE("P8 reserved bits refuse a write whose bus access was right") {
    DoorbellBench bench("bench");
    bench.agenda.at(from_ns(10), [&] { bench.write(0x20, 0x0000'0001'8000'0003, from_ns(5)); });
    run_to_the_end();
    CHECK(bench.notified.empty());
    check_refused(bench, DoorbellRefusal::ReservedBits, Result::Invalid, 0x20);
    CHECK(bench.refusals.all()[0].cqn == Cqn{3});
    CHECK(bench.refusals.all()[0].time_ps == 15'000);
}

TEST_CASE("P8 reserved bits of an event queue's register refuse as well") {
    DoorbellBench bench("bench");
    bench.agenda.at(from_ns(10), [&] { bench.write(0x48, 0x0000'0001'0001'0005); });
    run_to_the_end();
    CHECK(bench.notified.empty());
    check_refused(bench, DoorbellRefusal::ReservedBits, Result::Invalid, 0x48);
    CHECK(bench.refusals.all()[0].cqn == kNoCq);
    CHECK(bench.refusals.all()[0].unit == 5);
}

TEST_CASE("S6.11 a consumer index of too many bits is refused") {
    DoorbellBench bench("bench");  // indices of 8 bits
    bench.agenda.at(from_ns(10), [&] {
        bench.arm(3, 0xFF);
        bench.arm(3, 0x100);
    });
    run_to_the_end();
    CHECK(bench.notified == std::vector<Notified>{{from_ns(10), 3, 0xFF, false, false}});
    check_refused(bench, DoorbellRefusal::WideIndex, Result::Invalid, 0x20);
}

TEST_CASE("S6.1 an arm of a CQ that does not exist is refused") {
    DoorbellBench bench("bench");
    bench.arm_result = Result::NoEntry;
    bench.agenda.at(from_ns(10), [&] { bench.arm(0xFF'FFFF, 0); });
    run_to_the_end();
    check_refused(bench, DoorbellRefusal::UnknownCq, Result::NoEntry, 0x20);
    CHECK(bench.refusals.all()[0].cqn == Cqn{0xFF'FFFF});
    CHECK(bench.refusals.all()[0].qpn == kNoQp);
}

TEST_CASE("S4.4 an arm of a CQ that can only be polled is refused") {
    DoorbellBench bench("bench");
    bench.arm_result = Result::Invalid;
    bench.agenda.at(from_ns(10), [&] { bench.arm(3, 0); });
    run_to_the_end();
    check_refused(bench, DoorbellRefusal::CqWithoutEq, Result::Invalid, 0x20);
}

TEST_CASE("S6.22 a consumer index of an event queue that does not exist is refused") {
    DoorbellBench bench("bench");
    bench.eq_result = Result::NoEntry;
    bench.agenda.at(from_ns(10), [&] { bench.write(0x40, bar::eq_index(Eqn{5}, 1)); });
    run_to_the_end();
    check_refused(bench, DoorbellRefusal::UnknownEq, Result::NoEntry, 0x40);
    CHECK(bench.refusals.all()[0].unit == 5);
}

TEST_CASE("S6.22 a consumer index that the event arbiter does not take is refused") {
    DoorbellBench bench("bench");
    bench.eq_result = Result::Invalid;
    bench.agenda.at(from_ns(10), [&] { bench.write(0x48, bar::eq_index(Eqn{5}, 1)); });
    run_to_the_end();
    check_refused(bench, DoorbellRefusal::EqIndex, Result::Invalid, 0x48);
}

TEST_CASE(
    "S3.1 a consumer index goes to the owner of the CQ in the call, behind what was delayed") {
    DoorbellBench bench("bench", ConsumerPath::Mmio);
    bench.agenda.at(from_ns(10), [&] {
        bench.write(0x28, 0x0000'0007'0000'0003);
        bench.arm(3, 7, from_ns(5));
        bench.write(0x28, 0x0000'0008'0000'0003);  // does not pass the arm
    });
    run_to_the_end();
    CHECK(bench.returned == std::vector<Notified>{{from_ns(10), 3, 7, false, false},
                                                  {from_ns(15), 3, 8, false, false}});
    CHECK(bench.notified == std::vector<Notified>{{from_ns(15), 3, 7, false, false}});
    CHECK(bench.refusals.all().empty());
}

TEST_CASE("S3.2 an increment goes to the owner of the CQ, and one beyond its field nowhere") {
    DoorbellBench bench("bench", ConsumerPath::Increment);
    bench.agenda.at(from_ns(10), [&] {
        bench.write(0x30, bar::cq_credit(Cqn{3}, 15));
        bench.write(0x30, bar::cq_credit(Cqn{3}, 20));  // case 6: 20 needs 5 bits
    });
    run_to_the_end();
    CHECK(bench.returned == std::vector<Notified>{{from_ns(10), 3, 15, false, true}});
    check_refused(bench, DoorbellRefusal::WideIndex, Result::Invalid, 0x30);
    CHECK(bench.refusals.all()[0].cqn == Cqn{3});
}

TEST_CASE("P8 a consumer index on another path than the device's is refused") {
    DoorbellBench bench("bench");
    bench.agenda.at(from_ns(10), [&] { bench.write(0x28, bar::cq_consumer(Cqn{3}, 1)); });
    run_to_the_end();
    CHECK(bench.returned.empty());
    check_refused(bench, DoorbellRefusal::OtherPath, Result::Invalid, 0x28);
}

TEST_CASE("S3.1 what the owner of the CQ does not take is refused") {
    DoorbellBench bench("bench", ConsumerPath::Increment);
    bench.consumer_result = Result::Invalid;
    bench.agenda.at(from_ns(10), [&] { bench.write(0x30, bar::cq_credit(Cqn{3}, 1)); });
    run_to_the_end();
    check_refused(bench, DoorbellRefusal::CqIndex, Result::Invalid, 0x30);
}
