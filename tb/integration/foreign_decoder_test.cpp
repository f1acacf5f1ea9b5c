// SPDX-License-Identifier: Apache-2.0
// The bytes of whole runs in the mlx5 format, read by code that is not ours: the structs and inline
// functions of mlx5dv.h (libibverbs-dev). Every field is compared with what the pipelines reported.
#include "tb/scenario/reader.h"
#include "tb/system/system.h"

#include <catch2/catch.hpp>
#include <infiniband/mlx5dv.h>

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

namespace cqsim::tb::test {
namespace {

/// What the numbers of libibverbs make of a failed entry; S1.13 is in rdma-core's cq.c, not in its
/// headers, but the syndromes are.
ibv_wc_status status_of(std::uint8_t syndrome) {
    switch (syndrome) {
        case MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR:
            return IBV_WC_LOC_LEN_ERR;
        case MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR:
            return IBV_WC_LOC_QP_OP_ERR;
        case MLX5_CQE_SYNDROME_LOCAL_PROT_ERR:
            return IBV_WC_LOC_PROT_ERR;
        case MLX5_CQE_SYNDROME_WR_FLUSH_ERR:
            return IBV_WC_WR_FLUSH_ERR;
        case MLX5_CQE_SYNDROME_MW_BIND_ERR:
            return IBV_WC_MW_BIND_ERR;
        case MLX5_CQE_SYNDROME_BAD_RESP_ERR:
            return IBV_WC_BAD_RESP_ERR;
        case MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR:
            return IBV_WC_LOC_ACCESS_ERR;
        case MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR:
            return IBV_WC_REM_INV_REQ_ERR;
        case MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR:
            return IBV_WC_REM_ACCESS_ERR;
        case MLX5_CQE_SYNDROME_REMOTE_OP_ERR:
            return IBV_WC_REM_OP_ERR;
        case MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR:
            return IBV_WC_RETRY_EXC_ERR;
        case MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR:
            return IBV_WC_RNR_RETRY_EXC_ERR;
        case MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR:
            return IBV_WC_REM_ABORT_ERR;
        default:
            return IBV_WC_GENERAL_ERR;
    }
}

/// Whether GENERAL_ERR is what becomes of a status (S1.13).
bool has_syndrome(std::uint8_t status) {
    static const std::set<std::uint8_t> no_syndrome{3, 14, 15, 17, 18, 19, 20, 21, 22, 23};
    return no_syndrome.count(status) == 0;
}

std::uint64_t from_be(const void* at, unsigned bytes) {
    const auto* byte = static_cast<const unsigned char*>(at);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        value = value << 8U | byte[i];
    }
    return value;
}

/// What a requester's work completion opcode was made from.
std::set<unsigned> send_opcodes(std::uint8_t wc_opcode) {
    static const std::map<std::uint8_t, std::set<unsigned>> opcodes{
        {IBV_WC_SEND, {MLX5_OPCODE_SEND, MLX5_OPCODE_SEND_IMM, MLX5_OPCODE_SEND_INVAL}},
        {IBV_WC_RDMA_WRITE, {MLX5_OPCODE_RDMA_WRITE, MLX5_OPCODE_RDMA_WRITE_IMM}},
        {IBV_WC_RDMA_READ, {MLX5_OPCODE_RDMA_READ}},
        {IBV_WC_COMP_SWAP, {MLX5_OPCODE_ATOMIC_CS}},
        {IBV_WC_FETCH_ADD, {MLX5_OPCODE_ATOMIC_FA}},
        {IBV_WC_BIND_MW, {MLX5_OPCODE_UMR}},
        {IBV_WC_LOCAL_INV, {MLX5_OPCODE_LOCAL_INVAL}},
        {IBV_WC_TSO, {MLX5_OPCODE_TSO}}};
    const auto found = opcodes.find(wc_opcode);
    return found == opcodes.end() ? std::set<unsigned>{} : found->second;
}

/// Follows a run's records and reads each entry that becomes visible.
class ForeignReader final : public RecordSubscriber {
  public:
    explicit ForeignReader(std::size_t stride)
        : m_stride(stride) {}

    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            switch (record.kind) {
                case Kind::Complete:
                    std::memcpy(&m_reported[record.serial].details,
                                record.bytes,
                                sizeof(CompletionDetails));
                    m_reported[record.serial].record = record;
                    break;
                case Kind::Slot:
                    m_slots[record.cqn].push_back(record);
                    break;
                case Kind::CqeVisible:
                    read(record);
                    break;
                default:
                    break;
            }
        }
    }

    std::uint64_t entries = 0;
    std::uint64_t differences = 0;
    std::string first_difference;
    std::map<std::pair<std::string, unsigned>, std::uint64_t> seen;  ///< side and status, or opcode

  private:
    struct Reported {
        Record record{};
        CompletionDetails details{};
    };

    template <class Is, class Should>
    void same(const char* field, Is is, Should should) {
        if (static_cast<std::uint64_t>(is) == static_cast<std::uint64_t>(should)) {
            return;
        }
        if (differences++ == 0) {
            first_difference = std::string("entry ") + std::to_string(entries) + ": " + field +
                               " is " + std::to_string(static_cast<std::uint64_t>(is)) +
                               " and should be " +
                               std::to_string(static_cast<std::uint64_t>(should));
        }
    }

    void read(const Record& visible) {
        std::deque<Record>& slots = m_slots[visible.cqn];
        REQUIRE_FALSE(slots.empty());
        const Record slot = slots.front();
        slots.pop_front();
        const Reported reported = m_reported.at(slot.serial);
        m_reported.erase(slot.serial);
        const std::byte* entry = visible.bytes + (m_stride - sizeof(mlx5_cqe64));
        mlx5_cqe64 cqe{};
        std::memcpy(&cqe, entry, sizeof cqe);
        const Record& request = reported.record;
        ++entries;
        same("owner", mlx5dv_get_cqe_owner(&cqe), slot.state);
        same("format", mlx5dv_get_cqe_format(&cqe), 0);
        same("qpn", from_be(&cqe.sop_drop_qpn, 4) & 0xFF'FFFFU, index_of(request.qpn));
        same("wqe_counter", from_be(&cqe.wqe_counter, 2), request.index & 0xFFFFU);
        same("srqn", from_be(&cqe.srqn_uidx, 4), reported.details.srqn);
        same("signature", cqe.signature, 0);
        const bool sends = request.queue == QueueKind::Send;
        if (request.state != IBV_WC_SUCCESS) {
            failed(cqe, request, reported.details, sends);
        } else {
            succeeded(cqe, request, reported.details, sends);
        }
    }

    void failed(mlx5_cqe64& cqe,
                const Record& request,
                const CompletionDetails& details,
                bool sends) {
        mlx5_err_cqe error{};
        std::memcpy(&error, &cqe, sizeof error);
        same("error opcode",
             mlx5dv_get_cqe_opcode(&cqe),
             sends ? MLX5_CQE_REQ_ERR : MLX5_CQE_RESP_ERR);
        same("status",
             status_of(error.syndrome),
             has_syndrome(request.state) ? request.state : std::uint8_t{IBV_WC_GENERAL_ERR});
        same("vendor_err", error.vendor_err_synd, details.vendor_err & 0xFFU);
        ++seen[{sends ? "send" : "receive", request.state}];
    }

    void succeeded(mlx5_cqe64& cqe,
                   const Record& request,
                   const CompletionDetails& details,
                   bool sends) {
        const unsigned opcode = mlx5dv_get_cqe_opcode(&cqe);
        same("timestamp", from_be(&cqe.timestamp, 8), request.time_ps / 1000);
        if (sends) {
            const auto sop = static_cast<unsigned>(from_be(&cqe.sop_drop_qpn, 1));
            same("opcode", opcode, MLX5_CQE_REQ);
            same("send opcode", send_opcodes(details.opcode).count(sop), 1);
            if (details.opcode == IBV_WC_RDMA_READ || details.opcode == IBV_WC_COMP_SWAP ||
                details.opcode == IBV_WC_FETCH_ADD) {
                same("byte_cnt", from_be(&cqe.byte_cnt, 4), details.byte_len);
            }
            ++seen[{"requester", details.opcode}];
            return;
        }
        same("solicited", mlx5dv_get_cqe_se(&cqe), (request.flags & kSolicited) != 0);  // S6.2
        same("byte_cnt", from_be(&cqe.byte_cnt, 4), details.byte_len);
        const bool imm = (details.wc_flags & IBV_WC_WITH_IMM) != 0;
        const bool inv = (details.wc_flags & IBV_WC_WITH_INV) != 0;
        same("opcode",
             opcode,
             details.opcode == IBV_WC_RECV_RDMA_WITH_IMM ? MLX5_CQE_RESP_WR_IMM
             : imm                                       ? MLX5_CQE_RESP_SEND_IMM
             : inv                                       ? MLX5_CQE_RESP_SEND_INV
                                                         : MLX5_CQE_RESP_SEND);
        if (imm || inv) {  // as on the wire, so without a swap
            std::uint32_t raw = 0;
            std::memcpy(&raw, &cqe.imm_inval_pkey, sizeof raw);
            same("imm_inval_pkey", raw, details.imm_data);
        } else {
            same("pkey", from_be(&cqe.imm_inval_pkey, 4) & 0xFFFFU, details.pkey_index);
        }
        same("slid", from_be(&cqe.slid, 2), details.slid);
        same("ml_path", cqe.ml_path, details.dlid_path_bits);
        const auto flags_rqpn = static_cast<std::uint32_t>(from_be(&cqe.flags_rqpn, 4));
        same("src_qp", flags_rqpn & 0xFF'FFFFU, details.src_qp);
        same("sl", flags_rqpn >> 24U & 0xFU, details.sl);
        same("grh", flags_rqpn >> 28U & 3U, (details.wc_flags & IBV_WC_GRH) != 0 ? 1 : 0);
        ++seen[{"responder", opcode}];
    }

    std::size_t m_stride;
    std::map<Cqn, std::deque<Record>> m_slots;
    std::unordered_map<std::uint64_t, Reported> m_reported;
};

constexpr std::array kSends{"SEND",
                            "SEND_WITH_IMM",
                            "SEND_WITH_INV",
                            "RDMA_WRITE",
                            "RDMA_WRITE_WITH_IMM",
                            "RDMA_READ",
                            "ATOMIC_CMP_AND_SWP",
                            "ATOMIC_FETCH_AND_ADD",
                            "LOCAL_INV",
                            "BIND_MW",
                            "TSO"};
constexpr std::array kReceives{"SEND", "SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE_WITH_IMM"};

std::string queue_pair(const std::string& name, unsigned count, const char* type = "RC") {
    return "[[qp]]\nname = \"" + name + "\"\ntype = \"" + type +
           "\"\ncount = " + std::to_string(count) +
           "\nsend_cq = \"cq\"\nrecv_cq = \"cq\"\nsend_depth = 64\nrecv_depth = 64\n";
}

std::string step(const std::string& at, const char* what) {
    return "[[step]]\nat = \"" + at + " us\"\ndo = \"" + what + "\"\n";
}

/// Every opcode on either side, 105 entries a microsecond, and every status on either side, each
/// with requests that flush behind it. A scenario's requests end with what a spec says that they
/// can end with; `any_status` then puts in the others, which entries have room for as well.
std::string everything(const std::string& format) {
    std::string text = "end = \"10 ms\"\nsize = \"large\"\n[device]\ncqe_format = \"" + format +
                       "\"\n[device.cqe_writer]\nwrites_in_flight = 128\n"
                       "[device.memory]\nbandwidth = \"unlimited\"\n"
                       "[[cq]]\nname = \"cq\"\ncount = 8\ndepth = 1000\n"
                       "[[host]]\ncq = \"cq\"\nbatch = 64\n";
    std::string traffic;
    for (const char* opcode : kSends) {
        const std::string name = std::string("send_") + opcode;
        text += queue_pair(name, 7, std::string_view(opcode) == "TSO" ? "UD" : "RC");
        traffic += "[[traffic]]\nqp = \"" + name + "\"\nsend = { rate = \"1 M/s\", opcode = \"" +
                   opcode + "\", bytes = 100, solicited_every = 3 }\n";
    }
    for (const char* opcode : kReceives) {
        const std::string name = std::string("recv_") + opcode;
        text += queue_pair(name, 7);
        traffic += "[[traffic]]\nqp = \"" + name + "\"\nrecv = { rate = \"1 M/s\", opcode = \"" +
                   opcode + "\", bytes = 100, solicited_every = 3 }\n";
    }
    for (std::uint8_t status = 1; status < wc_status_names().size(); ++status) {
        if (static_cast<WcStatus>(status) == WcStatus::WrFlushErr) {
            continue;  // of what is behind the others
        }
        for (const char* queue : {"send", "recv"}) {
            const std::string fails = std::string("fails_") + queue + std::to_string(status);
            text += queue_pair(fails, 1);
            const std::string at = std::to_string(100 + status);
            const std::string whose = "qp = \"" + fails + "\"\nqueue = \"" + queue + "\"\n";
            traffic += step(at, "post") + whose + "count = 4\n";
            traffic += step(at, "fail") + whose + "status = \"GENERAL_ERR\"\nvendor_err = 147\n";
        }
    }
    return text + traffic;
}

void any_status(Scenario& scenario) {
    std::array<unsigned, 2> last{};  // by side: in the order of the text
    for (Step& step : scenario.step) {
        if (step.kind == StepKind::Fail) {
            unsigned& status = last.at(static_cast<std::size_t>(step.queue));
            status += static_cast<WcStatus>(status + 1) == WcStatus::WrFlushErr ? 2 : 1;
            step.status = static_cast<WcStatus>(status);
        }
    }
}

void check_run(const std::string& format, std::size_t stride) {
    Scenario scenario = read_scenario_text(everything(format), "everything", {});
    any_status(scenario);
    System system("system", scenario, true);
    ForeignReader reader(stride);
    system.records().subscribe(reader, kAllKinds);
    const RunEnd end = system.run();
    CHECK(end.script.empty());
    INFO(reader.first_difference);
    CHECK(reader.differences == 0);
    CHECK(reader.entries >= 1'000'000);
    for (unsigned status = 1; status < wc_status_names().size(); ++status) {
        INFO("status " << status);
        CHECK(reader.seen[{"send", status}] != 0);
        CHECK(reader.seen[{"receive", status}] != 0);
    }
    for (unsigned opcode = IBV_WC_SEND; opcode <= IBV_WC_TSO; ++opcode) {
        INFO("opcode " << opcode);
        CHECK(reader.seen[{"requester", opcode}] != 0);
    }
    for (unsigned opcode = MLX5_CQE_RESP_WR_IMM; opcode <= MLX5_CQE_RESP_SEND_INV; ++opcode) {
        INFO("responder opcode " << opcode);
        CHECK(reader.seen[{"responder", opcode}] != 0);
    }
}

}  // namespace

TEST_CASE("S1.20 a foreign decoder agrees on every entry of 64 bytes of a whole run") {
    check_run("mlx5", 64);
}

TEST_CASE("S3.6 a foreign decoder agrees on every entry of 128 bytes of a whole run") {
    check_run("mlx5_128", 128);
}

}  // namespace cqsim::tb::test
