// SPDX-License-Identifier: Apache-2.0
/// \file
/// A target that answers as a test tells it, and a DMA port before it.
#pragma once

#include "models/dma/dma_port.h"
#include "tb/unit/agenda.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <ostream>
#include <set>
#include <vector>

namespace cqsim::test {

/// What the target does with the next request.
struct Plan {
    tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;  ///< what the answer sets it to
    TimePs delay{};                         ///< annotated to the answer
    std::optional<TimePs> end_req;          ///< END_REQ is sent so long after the request
    TimePs end_req_delay{};                 ///< annotated to that
    std::optional<TimePs> begin_resp;       ///< BEGIN_RESP is sent so long after it
    TimePs resp_delay{};                    ///< annotated to that
    bool resp_from_inside = false;          ///< BEGIN_RESP is sent before the request is answered
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
};

/// A target of the base protocol for requests of one kind and length. Reads give zeroes.
class PlannedTarget final : public tlm::tlm_fw_transport_if<> {
  public:
    PlannedTarget(const char* name,
                  Agenda& agenda,
                  tlm::tlm_command command = tlm::TLM_WRITE_COMMAND,
                  unsigned length = 64)
        : socket(name),
          m_agenda(agenda),
          m_command(command),
          m_length(length) {
        socket.bind(*this);
    }

    tlm::tlm_target_socket<> socket;
    std::deque<Plan> plans;
    std::vector<TimePs> end_resps;         ///< when END_RESP came
    std::vector<tlm::tlm_sync_enum> said;  ///< answers of the port to our phases
    std::set<tlm::tlm_generic_payload*> payloads;
    std::vector<unsigned char> first_bytes;
    std::vector<tlm::tlm_generic_payload*> open;  ///< in the order of the requests

    tlm::tlm_sync_enum send(tlm::tlm_generic_payload& payload,
                            tlm::tlm_phase phase,
                            TimePs annotated = {}) {
        sc_core::sc_time delay = to_sc_time(annotated);
        said.push_back(socket->nb_transport_bw(payload, phase, delay));
        return said.back();
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        if (phase == tlm::END_RESP) {
            end_resps.push_back(kernel_now());
            return tlm::TLM_COMPLETED;
        }
        CHECK(phase == tlm::BEGIN_REQ);
        check_fields(payload);
        const Plan plan = plans.front();
        plans.pop_front();
        payload.set_response_status(plan.status);
        if (payload.is_read()) {
            std::memset(payload.get_data_ptr(), 0, m_length);
        }
        const TimePs at = kernel_now() + TimePs{delay.value()};
        if (plan.end_req) {
            later(at + *plan.end_req, payload, tlm::END_REQ, plan.end_req_delay);
        }
        if (plan.begin_resp) {
            later(at + *plan.begin_resp, payload, tlm::BEGIN_RESP, plan.resp_delay);
        }
        if (plan.resp_from_inside) {
            send(payload, tlm::BEGIN_RESP, plan.resp_delay);
        }
        if (plan.answer != tlm::TLM_ACCEPTED) {
            phase = plan.phase;
            delay += to_sc_time(plan.delay);
        }
        return plan.answer;
    }

    /// Every field of a request is set, whatever its payload was used for before.
    void check_fields(tlm::tlm_generic_payload& payload) {
        CHECK(payload.get_command() == m_command);
        CHECK(payload.get_data_length() == m_length);
        CHECK(payload.get_streaming_width() == m_length);
        CHECK(payload.get_byte_enable_ptr() == nullptr);
        CHECK(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
        CHECK_FALSE(payload.is_dmi_allowed());
        payloads.insert(&payload);
        open.push_back(&payload);
        first_bytes.push_back(*payload.get_data_ptr());
    }
    void later(TimePs at, tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, TimePs delay) {
        payload.acquire();
        m_agenda.at(at, [this, &payload, phase, delay] {
            send(payload, phase, delay);
            payload.release();
        });
    }

    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

    Agenda& m_agenda;
    tlm::tlm_command m_command;
    unsigned m_length;
};

/// The end of a write as the port's owner hears it.
struct Done {
    std::uint32_t cookie = 0;
    bool ok = false;
    TimePs at{};

    friend bool operator==(const Done& l, const Done& r) {
        return l.cookie == r.cookie && l.ok == r.ok && l.at == r.at;
    }
    friend std::ostream& operator<<(std::ostream& out, const Done& done) {
        return out << done.cookie << (done.ok ? " ok@" : " failed@") << done.at.ps;
    }
};

class DmaBench final : public sc_core::sc_module, private DmaListener {
  public:
    explicit DmaBench(const sc_core::sc_module_name& module_name)
        : sc_module(module_name) {
        port.isock.bind(target.socket);
    }

    /// At `t`: sends a write whose bytes and cookie are `number`.
    void send_at(TimePs t, std::uint8_t number, const Plan& plan, TimePs delay = {}) {
        agenda.at(t, [this, number, plan, delay] { send(number, plan, delay); });
    }
    void send(std::uint8_t number, const Plan& plan, TimePs delay = {}) {
        CHECK(port.can_send());
        target.plans.push_back(plan);
        std::memset(port.buffer(), number, 64);
        m_inside = true;
        port.send(0x1000 + std::uint64_t{number} * 64, 64, number, delay);
        m_inside = false;
    }
    /// Whether every payload that was ever used is back in the pool.
    bool all_free() const {
        return std::all_of(target.payloads.begin(), target.payloads.end(), [](const auto* payload) {
            return payload->get_ref_count() == 0;
        });
    }

    KernelTimeline timeline{"timeline"};
    Agenda agenda{timeline, Rank::Script};
    PlannedTarget target{"target", agenda};
    DmaPort port{"port", timeline, *this};
    std::vector<Done> done;
    std::vector<TimePs> again;  ///< when `can_send_again` was called

  private:
    void write_done(std::uint32_t cookie, bool ok) override {
        CHECK_FALSE(m_inside);
        done.push_back({cookie, ok, timeline.now()});
    }
    void can_send_again() override {
        CHECK_FALSE(m_inside);
        CHECK(port.can_send());
        again.push_back(timeline.now());
    }

    bool m_inside = false;
};

}  // namespace cqsim::test
