// SPDX-License-Identifier: Apache-2.0
/// \file
/// The QP table: owner of QP state and of what a QP reports to.
#pragma once

#include "models/observe/record_stream.h"
#include "models/protocol/command_link.h"
#include "models/protocol/qp_link.h"
#include "models/qp/qp_rules.h"
#include "models/time/timeline.h"

#include <systemc>

namespace cqsim {

/// The sockets of a QP table: what any replacement must have.
class QpTablePorts : public sc_core::sc_module {
  public:
    QpAdmitTarget admit_tsock{"admit_tsock"};     ///< from both taps
    QpReportTarget report_tsock{"report_tsock"};  ///< from the writer and the overflow checker
    QpCommandTarget command_tsock{"command_tsock"};
    QpStateInitiator tx_isock{"tx_isock"};  ///< to the pipelines
    QpStateInitiator rx_isock{"rx_isock"};

  protected:
    explicit QpTablePorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

class QpTable final : public QpTablePorts,
                      private QpAdmitForward,
                      private QpReportForward,
                      private QpCommandForward,
                      private NoBackward<QpStateProtocol> {
  public:
    QpTable(const sc_core::sc_module_name& module_name,
            Timeline& timeline,
            RecordStream& records,
            QpRules rules);

    QpState state(Qpn qpn) const { return m_rules.row(qpn).state; }
    /// Completions of the QP inside the block.
    std::uint32_t in_flight(Qpn qpn) const { return m_rules.row(qpn).in_flight; }

  private:
    Admission lookup(Qpn qpn, QueueKind queue) const override { return m_rules.lookup(qpn, queue); }
    void entered(const Completion& completion) override;
    void left(Qpn qpn) override { m_rules.left(qpn); }
    void cq_unusable(Qpn qpn, std::uint16_t generation) override;
    QpCreated create_qp(const CreateQp& command) override;

    void apply(Qpn qpn, const QpRules::Effect& effect);

    Timeline& m_timeline;
    RecordStream& m_records;
    std::uint8_t m_source;
    QpRules m_rules;
};

}  // namespace cqsim
