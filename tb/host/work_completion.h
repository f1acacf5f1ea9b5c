// SPDX-License-Identifier: Apache-2.0
/// \file
/// A work completion as software may use it (S1.2, S1.3).
#pragma once

#include "models/cqe/cqe_codec.h"
#include "models/cqe/defined_fields.h"
#include "models/observe/record_stream.h"
#include "models/time/timeline.h"

#include <optional>

namespace cqsim::tb {

/// Where an entry was read.
struct EntryPlace {
    Cqn cqn = kNoCq;
    std::uint32_t slot = 0;
};

class WorkCompletion;

/// Counts and reports each use of a field that is not defined.
class UndefinedReads {
  public:
    /// The records are those of the module `source`.
    UndefinedReads(Timeline& timeline, RecordStream& records, std::string_view source)
        : m_timeline(timeline),
          m_records(records),
          m_source(records.intern(source)) {}

    std::uint64_t count() const { return m_count; }

  private:
    friend class WorkCompletion;
    void add(const WorkCompletion& completion, WcField field, std::uint64_t value);

    Timeline& m_timeline;
    RecordStream& m_records;
    std::uint8_t m_source;
    std::uint64_t m_count = 0;
};

/// An entry that was read, and which of its fields are defined. Fields that are not always defined
/// have a value only when they are; which ones are is looked up at the access, so that an entry of
/// which little is used costs little.
class WorkCompletion {
  public:
    /// `entry` must outlive it. `service`: of the entry's QP, as far as software knows it.
    WorkCompletion(const cqe::Decoded& entry,
                   EntryPlace place,
                   WcService service = WcService::Connected)
        : m_entry(entry),
          m_place(place),
          m_service(service) {}

    // Always defined.
    std::uint64_t wr_id() const { return m_entry.wr_id; }
    WcStatus status() const { return m_entry.status; }
    Qpn qpn() const { return m_entry.qpn; }

    // What the entry tells the driver beside the work completion.
    QueueKind queue() const { return m_entry.queue; }
    std::uint32_t wqe_index() const { return m_entry.wqe_index; }
    EntryPlace place() const { return m_place; }

    std::optional<std::uint32_t> vendor_err() const {
        return if_defined(WcField::VendorErr, m_entry.details.vendor_err);
    }
    std::optional<WcOpcode> opcode() const {
        return if_defined(WcField::Opcode, static_cast<WcOpcode>(m_entry.details.opcode));
    }
    std::optional<std::uint32_t> byte_len() const {
        return if_defined(WcField::ByteLen, m_entry.details.byte_len);
    }
    /// As on the wire: in network byte order (S1.5).
    std::optional<std::uint32_t> imm_data() const {
        return if_defined(WcField::ImmData, m_entry.details.imm_data);
    }
    std::optional<std::uint32_t> invalidated_rkey() const {
        return if_defined(WcField::InvalidatedRkey, m_entry.details.imm_data);
    }
    std::optional<std::uint16_t> wc_flags() const {
        return if_defined(WcField::WcFlags, m_entry.details.wc_flags);
    }
    /// Whether a UD receive begins with a global route header.
    std::optional<bool> grh() const {
        return if_defined(WcField::Grh, (m_entry.details.wc_flags & kWcGrh) != 0);
    }
    std::optional<std::uint32_t> src_qp() const {
        return if_defined(WcField::SrcQp, m_entry.details.src_qp);
    }
    std::optional<std::uint16_t> slid() const {
        return if_defined(WcField::Slid, m_entry.details.slid);
    }
    std::optional<std::uint8_t> sl() const { return if_defined(WcField::Sl, m_entry.details.sl); }
    std::optional<std::uint8_t> dlid_path_bits() const {
        return if_defined(WcField::DlidPathBits, m_entry.details.dlid_path_bits);
    }
    std::optional<std::uint16_t> pkey_index() const {
        return if_defined(WcField::PkeyIndex, m_entry.details.pkey_index);
    }
    std::optional<std::uint32_t> srqn() const {
        return if_defined(WcField::Srqn, m_entry.details.srqn);
    }

    WcFieldSet defined() const {
        return defined_fields({m_entry.status,
                               m_entry.queue,
                               static_cast<WcOpcode>(m_entry.details.opcode),
                               m_entry.details.wc_flags,
                               m_service});
    }

    /// What lies in the field, defined or not. S1.2: software that uses it when it is not defined
    /// is wrong, and `reads` counts and reports it.
    std::uint64_t undefined(WcField field, UndefinedReads& reads) const;

  private:
    template <class Value>
    std::optional<Value> if_defined(WcField field, Value value) const {
        return defined().has(field) ? std::optional<Value>(value) : std::nullopt;
    }
    std::uint64_t raw(WcField field) const;

    const cqe::Decoded& m_entry;
    EntryPlace m_place;
    WcService m_service;
};

}  // namespace cqsim::tb
