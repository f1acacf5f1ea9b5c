// SPDX-License-Identifier: Apache-2.0
#include "tb/unit/ring_pair.h"

namespace cqsim::test {
namespace {

using Verdict = OverflowRules::Verdict;
using Coverage = RingCoverage;

}  // namespace

// What is drawn.

OverflowConfig RingPair::draw_device(RandomStream& random) {
    OverflowConfig device;
    const auto width = static_cast<std::uint32_t>(random.below(4));
    device.index_width = width == 0   ? 24
                         : width == 1 ? 32
                                      : static_cast<std::uint32_t>(4 + random.below(29));
    device.owner = static_cast<OwnerScheme>(random.below(kOwnerSchemeNames.size()));
    device.spare_slots = random.coin() ? 1 : 0;
    device.max_depth = 8U << random.below(3);
    device.max_cqs = static_cast<std::uint32_t>(2 + random.below(2));
    if (random.below(8) == 0) {
        device.resize = std::nullopt;
    } else if (random.below(device.owner == OwnerScheme::Parity ? 2 : 8) == 0) {
        device.resize = ResizeMode::Marker;
    } else {
        device.resize = ResizeMode::CutOff;
    }
    // Zero, or shortly before indices wrap.
    const std::uint64_t indices = std::uint64_t{1} << device.index_width;
    if (random.coin()) {
        const std::uint64_t unit = std::min<std::uint64_t>(32, indices / 2);
        const std::uint64_t before =
            takes_any_depth(device.owner) ? 1 + random.below(unit) : unit * (1 + random.below(2));
        device.first_index = static_cast<std::uint32_t>(indices - before);
    }
    return device;
}

CreateCq RingPair::draw_cq(std::uint32_t cq) {
    CreateCq command;
    command.cqn = Cqn{one_in(64) ? kCqs + below(3) : cq};
    command.ring_address = 0x1'0000 * ++m_rings + (one_in(32) ? 8U << below(4) : 0);
    command.doorbell_record_address = 0x8000 + 8 * cq + (one_in(32) ? 4 : 0);
    command.depth = one_in(24)                        ? below(70)
                    : takes_any_depth(m_device.owner) ? 1 + below(m_device.max_depth)
                                                      : 1U << below(5);
    command.format = m_device.owner == OwnerScheme::Parity || one_in(16)
                         ? static_cast<CqeFormat>(below(kCqeFormatNames.size()))
                         : CqeFormat::Native;
    command.flags = !one_in(6) ? 0 : one_in(2) ? kIgnoreOverrun : kIgnoreOverrun | kCollapsed;
    if (one_in(32)) {
        command.flags = static_cast<std::uint8_t>(kCollapsed << below(3));
    }
    return command;
}

ResizeCq RingPair::draw_resize(std::uint32_t cq) {
    ResizeCq command;
    command.cqn = Cqn{cq};
    command.ring_address = 0x1'0000 * ++m_rings + (one_in(24) ? 8 : 0);
    command.depth = takes_any_depth(m_device.owner) ? 1 + below(m_device.max_depth + 1)
                    : one_in(24)                    ? 3
                                                    : 1U << below(6);
    if (m_lives[cq]) {
        const Life& life = *m_lives[cq];
        const std::uint64_t unread = life.reference.granted() - life.reader.read();
        if (takes_any_depth(m_device.owner) && one_in(3)) {  // what just fits, or just does not
            command.depth = static_cast<std::uint32_t>(unread) + below(3);
        }
        command.consumer = life.reference.index(one_in(12) ? life.reference.granted() + 1 + below(4)
                                                           : life.reader.read());
    }
    return command;
}

/// S4.2.
CommandResult RingPair::answer_to(const CreateCq& command) const {
    const std::uint32_t cq = index_of(command.cqn);
    if (cq >= kCqs || m_lives[cq] || command.doorbell_record_address % 8 != 0 ||
        !ring_can_be(m_device, command.format, command.ring_address, command.depth) ||
        (!takes_any_depth(m_device.owner) && m_device.first_index % command.depth != 0)) {
        return CommandResult::Invalid;
    }
    if ((m_device.owner != OwnerScheme::Parity && command.format != CqeFormat::Native) ||
        command.flags > (kIgnoreOverrun | kCollapsed)) {
        return CommandResult::Unsupported;
    }
    if (command.flags == kCollapsed) {
        return CommandResult::Invalid;
    }
    const auto there = std::count_if(
        m_lives.begin(), m_lives.end(), [](const auto& life) { return life.has_value(); });
    return there < m_device.max_cqs ? CommandResult::Ok : CommandResult::NoMemory;
}

// What happens.

void RingPair::play() {
    const std::uint32_t cq = below(kCqs);
    const std::uint32_t draw = below(100);
    if (draw >= 97 || !m_lives[cq]) {
        one_in(m_lives[cq] ? 8 : 2) ? create(cq) : one_in(4) ? destroy(cq) : query(cq);
        if (!m_lives[cq] && one_in(8)) {
            resize(cq);
        }
        return;
    }
    Life& life = *m_lives[cq];
    if (draw < 36) {
        request(cq);
    } else if (draw < 66) {
        const std::size_t places = life.granted.size();
        const std::size_t place = places == 0 ? 0 : below(one_in(2) ? 1 : places);
        if (places != 0 && life.reference.in_flight()[place].write == RingReference::Write::Open) {
            commit(cq, place, m_random.below(1000) >= m_failures_of_1000);
        }
    } else if (draw < 84) {
        for (std::uint32_t n = below(4); n > 0 && read(cq); --n) {
        }
    } else if (draw < 92) {
        consume(cq);
    } else {
        resize(cq);
    }
}

void RingPair::finish() {
    for (std::uint32_t cq = 0; cq < kCqs; ++cq) {
        for (std::size_t place = 0; m_lives[cq] && !m_lives[cq]->granted.empty();) {
            commit(cq, place, true);  // the oldest is open: else it were published
        }
        destroy(cq);
    }
}

void RingPair::create(std::uint32_t cq) {
    const CreateCq command = draw_cq(cq);
    const CommandResult answer = answer_to(command);
    require(m_rules.create(command) == answer, "create: not the answer");
    if (answer == CommandResult::Ok) {
        m_lives[cq].emplace(
            Life{RingReference(m_device, command), RingReader(m_device, command, m_random)});
    }
    tally(Coverage::CreateInvalid, answer == CommandResult::Invalid ? 1 : 0);
    tally(Coverage::CreateUnsupported, answer == CommandResult::Unsupported ? 1 : 0);
    tally(Coverage::CreateNoMemory, answer == CommandResult::NoMemory ? 1 : 0);
}

void RingPair::destroy(std::uint32_t cq) {
    const CommandResult result = m_rules.destroy(Cqn{cq});
    if (!m_lives[cq]) {
        require(result == CommandResult::NoEntry, "destroy: there is no such CQ");
        tally(Coverage::DestroyNoEntry);
        return;
    }
    if (!m_lives[cq]->granted.empty()) {
        require(result == CommandResult::Busy, "destroy: slots of the CQ are granted");
        tally(Coverage::DestroyBusy);
        return;
    }
    require(result == CommandResult::Ok, "destroy: the CQ is idle");
    while (!m_lives[cq]->reference.overwrites() && read(cq)) {
    }
    m_lives[cq].reset();
}

void RingPair::query(std::uint32_t cq) {
    CqContext context;
    const CommandResult result = m_rules.query(Cqn{cq}, context);
    require((result == CommandResult::Ok) == m_lives[cq].has_value(), "query: not the answer");
    require(context == (m_lives[cq] ? m_lives[cq]->reference.context() : CqContext{}),
            "query: not the context");
    tally(Coverage::QueryInError, context.state == CqState::Error ? 1 : 0);
}

void RingPair::resize(std::uint32_t cq) {
    const ResizeCq command = draw_resize(cq);
    SlotAnswer end;
    const CommandResult result = m_rules.resize(command, end);
    if (!m_lives[cq]) {
        require(result == CommandResult::NoEntry, "resize: there is no such CQ");
        ++m_coverage.refusals[static_cast<std::size_t>(ResizeRefusal::NoCq)];
        return;
    }
    Life& life = *m_lives[cq];
    const ResizeRefusal refusal = life.reference.resize(command);
    require(result == result_of(refusal), "resize: not the answer");
    ++m_coverage.refusals[static_cast<std::size_t>(refusal)];
    if (refusal != ResizeRefusal::None) {
        return;
    }
    require(end.ends_ring && end.index == life.reference.index(life.reference.granted() - 1),
            "resize: not the index of the end");
    const bool unread = life.reference.granted() - 1 > life.reader.read();
    tally(life.reader.by_marker() ? Coverage::UnreadAtMarker : Coverage::UnreadAtCutOff,
          unread ? 1 : 0);
    tally(Coverage::ChainedRings, life.reader.rings() > 1 ? 1 : 0);
    life.reader.prepare(command, m_random);
    life.granted.push_back({end});
    life.in_ring = 0;
}

void RingPair::request(std::uint32_t cq) {
    Life& life = *m_lives[cq];
    Completion completion;
    completion.serial = completion.wr_id = ++m_serial;
    completion.wqe_index = static_cast<std::uint32_t>(m_serial);
    completion.cqn = Cqn{cq};
    completion.qpn = Qpn{below(4)};
    completion.generation = static_cast<std::uint16_t>(below(4));
    completion.solicited = one_in(4);
    completion.status = one_in(8) ? WcStatus::WrFlushErr : WcStatus::Success;
    const SlotRequest asked = slot_request_for(completion);
    SlotAnswer answer;
    const RingReference::Entry entry{m_serial, asked.solicited, asked.failed};
    Verdict expected = life.reference.request(false, entry);
    require(m_rules.request(asked, false, answer) == expected, "request: not the verdict");
    if (expected == Verdict::LooksFull) {  // K20
        tell_consumer(cq, life.reference.index(life.reader.read()));
        if (life.reference.in_use() >= life.reference.slots() - m_device.spare_slots &&
            !one_in(8)) {
            return;  // an overrun is for ever
        }
        expected = life.reference.request(true, entry);
        require(m_rules.request(asked, true, answer) == expected, "request: not the verdict anew");
    }
    if (expected == Verdict::Granted) {
        note_slot(cq, answer);
        life.granted.push_back({answer, completion});
        return;
    }
    tally(Coverage::Overruns, expected == Verdict::Overrun ? 1 : 0);
    require(!answer.granted() &&
                answer.cause ==
                    (expected == Verdict::Overrun ? LostCause::Overrun : LostCause::CqError),
            "request: not the cause");
}

void RingPair::note_slot(std::uint32_t cq, const SlotAnswer& answer) {
    Life& life = *m_lives[cq];
    const RingReference& reference = life.reference;
    require(answer.granted() && !answer.ends_ring &&
                answer.index == reference.index(reference.granted() - 1),
            "request: not the index");
    require(m_rules.in_use(Cqn{cq}) == reference.in_use(), "request: not so many in use");
    ++life.in_ring;
    tally(Coverage::ThreeLaps, life.in_ring == 3 * reference.slots() + 1 ? 1 : 0);
    tally(Coverage::ExactlyFull,
          !reference.overwrites() && reference.in_use() == reference.slots() ? 1 : 0);
    tally(Coverage::WrittenBeforeEnd, reference.resizing() ? 1 : 0);
    const bool passes = answer.index == 0 && reference.granted() > 1;
    tally(Coverage::Passed24, passes && m_device.index_width == 24 ? 1 : 0);
    tally(Coverage::Passed32, passes && m_device.index_width == 32 ? 1 : 0);
}

void RingPair::commit(std::uint32_t cq, std::size_t place, bool ok) {
    Life& life = *m_lives[cq];
    const Granted& granted = life.granted[place];
    if (ok) {
        std::byte* entry = life.reader.memory(granted.slot.address);
        require(entry != nullptr, "commit: a write beside the rings that software has");
        if (granted.slot.ends_ring) {
            cqe::encode_end_of_ring(granted.slot.format, granted.slot.owner, entry);
        } else {
            cqe::codec_of(granted.slot.format)
                .encode(granted.completion, granted.slot.owner, CompletionDetails{}, entry);
        }
    }
    const bool fails = life.reference.commit(place, ok);
    const OverflowRules::Committed committed = m_rules.commit(granted.slot.tag, ok);
    require(committed.cqn == Cqn{cq} && committed.qpn == granted.completion.qpn &&
                committed.generation == granted.completion.generation,
            "commit: of another entry");
    require(committed.cq_error == fails, "commit: not the state of the CQ");
    tally(Coverage::FailedWrites, ok ? 0 : 1);
    publish(cq);
}

void RingPair::publish(std::uint32_t cq) {
    Life& life = *m_lives[cq];
    bool more = true;
    while (more) {
        PublishedEntry published;
        const std::optional<PublishedEntry> expected = life.reference.publish(Cqn{cq});
        more = m_rules.publish_next(Cqn{cq}, published);
        require(more == expected.has_value(), "publish: too early or too late");
        if (expected) {
            require(published.cqn == expected->cqn && published.index == expected->index &&
                        published.solicited == expected->solicited &&
                        published.failed == expected->failed &&
                        published.ends_ring == expected->ends_ring,
                    "publish: another entry");
            tally(Coverage::EndsLost, expected->ends_ring && expected->failed ? 1 : 0);
        }
    }
    require(m_rules.resizing(Cqn{cq}) == life.reference.resizing(), "publish: the ring is over");
    while (life.granted.size() > life.reference.in_flight().size()) {
        life.granted.pop_front();
    }
}

// What software does.

/// \returns whether there was something to read.
bool RingPair::read(std::uint32_t cq) {
    Life& life = *m_lives[cq];
    if (life.reference.overwrites()) {
        return read_overwritten(life);
    }
    if (life.reader.by_marker() && life.reader.rings() > 1 && life.reference.ended() && one_in(3)) {
        copy(life);
    }
    const std::optional<std::uint64_t> expected = life.reference.next();
    const Found found = life.reader.poll();
    require(found.what != Found::What::Lapped, "read: overwritten");
    require((found.what != Found::What::Nothing) == expected.has_value(),
            expected ? "read: an entry is not valid" : "read: an entry too many is valid");
    if (!expected) {
        return false;
    }
    require((found.what == Found::What::End) == (*expected == 0), "read: not the end of the ring");
    require(found.serial == *expected, "read: another entry");
    life.reference.read();
    if (*expected == 0) {
        tally(life.reader.by_marker() ? Coverage::ReadToMarker : Coverage::ReadToCutOff);
    }
    ++m_coverage.read_in_scheme[static_cast<std::size_t>(m_device.owner)];
    return true;
}

/// S4.7.
void RingPair::copy(Life& life) {
    const std::optional<std::uint64_t> copied = life.reader.copy();
    require(copied.has_value(), "copy: no marker behind the entries");
    require(*copied == life.reference.drop_end(), "copy: not the entries before the marker");
    tally(Coverage::CopiedByMarker, *copied);
}

/// S4.3: what is newest in the slot, if by its owner value it belongs to the lap of the reader.
bool RingPair::read_overwritten(Life& life) {
    const std::uint64_t place = life.reader.read();
    const std::optional<std::uint64_t> newest = life.reference.in_place_of(place);
    const Found found = life.reader.poll();
    const std::uint64_t laps = m_device.owner == OwnerScheme::Generation ? 8 : 2;
    const std::uint64_t ahead =
        newest
            ? (life.reference.lap_of(*newest) + laps - life.reference.lap_of(place) % laps) % laps
            : laps - 1;
    const Found::What expected = ahead == 0          ? Found::What::Entry
                                 : ahead == laps - 1 ? Found::What::Nothing
                                                     : Found::What::Lapped;
    require(found.what == expected, "read: not what lies in the slot");
    tally(Coverage::LappedGeneration, expected == Found::What::Lapped ? 1 : 0);
    if (expected != Found::What::Entry) {
        return false;
    }
    require(found.serial == life.reference.serial_of(*newest), "read: not the newest of the slot");
    tally(Coverage::Overwritten, *newest != place ? 1 : 0);
    tally(Coverage::CollapsedRead, life.reference.collapsed() ? 1 : 0);
    ++m_coverage.read_in_scheme[static_cast<std::size_t>(m_device.owner)];
    return true;
}

/// The doorbell record says what software has read, or anything.
void RingPair::consume(std::uint32_t cq) {
    const Life& life = *m_lives[cq];
    if (life.reference.overwrites()) {
        return;
    }
    const std::uint64_t indices = std::uint64_t{1} << m_device.index_width;
    const std::uint32_t read = life.reference.index(life.reader.read());
    const std::uint32_t value = one_in(3) ? below(std::uint64_t{1} << 32U)
                                : one_in(4)
                                    ? life.reference.index(life.reference.granted() + below(4))
                                    : read;
    const std::uint32_t known = life.reference.index(life.reference.known());
    const std::uint64_t more = (value % indices + indices - known) % indices;
    const bool unread = life.reference.known() + more > life.reader.read();
    if (unread && more <= life.reference.granted() - life.reference.known()) {
        return;  // the device cannot know that software has not read it
    }
    tell_consumer(cq, value);
}

void RingPair::tell_consumer(std::uint32_t cq, std::uint32_t value) {
    const bool possible = m_lives[cq]->reference.consumer(value);
    require(m_rules.consumer_read(Cqn{cq}, value) == possible, "consumer index: not the answer");
    require(m_rules.in_use(Cqn{cq}) == m_lives[cq]->reference.in_use(),
            "consumer index: not so many in use");
    tally(Coverage::ConsumerRefused, possible ? 0 : 1);
}

}  // namespace cqsim::test
