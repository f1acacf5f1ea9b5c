// SPDX-License-Identifier: Apache-2.0
//
// Writes the events of an RTL test bench to events.jsonl, so that
//
//     cqsim check events.jsonl
//
// judges them by the rule checkers. One function for each kind of record; call it in the cycle in
// which the thing happens, cause before effect. The fields are those of the JSON schema
// (tb/record/events.schema.json). Times are taken from $time, in ps.
//
//     import cqsim_trace_pkg::*;
//     trace t = new("events.jsonl", "my_bench", 1);
//     t.name_cq("rx", 0, 4);                          // cqn 0 .. 3 are called rx[0] .. rx[3]
//     t.begin_records();
//     t.create_cq(0, 64'h1_0000_1000, 64'h1_0000_0000, 8);
//     ...
//     t.finish(END_IDLE, 0, 0);
//
// The methods do not consume time. A file that cannot be opened is a $fatal; a disk that fills is
// found by finish(). Compile cqsim_trace_types_pkg.sv and cqsim_trace_base_pkg.sv first. Works with Verilator 5.006 and later.
package cqsim_trace_pkg;

  timeunit 1ps;
  timeprecision 1ps;

  import cqsim_trace_types_pkg::*;
  import cqsim_trace_base_pkg::*;
  export cqsim_trace_types_pkg::*;
  export cqsim_trace_base_pkg::*;

  /* verilator lint_off DECLFILENAME */
  class trace extends trace_base;
    local bit        m_is_mlx5[int];   // by cqn: its entries are of format mlx5
    local bit [31:0] m_consumer[int];  // by cqn: the consumer index that was published last

    function new(string path, string scenario, longint seed = 0);
      super.new(path, scenario, seed);
    endfunction

    // --- objects ----------------------------------------------------------------------------

    // `format`: "native", "mlx5" or "mlx5_128".
    function void create_cq(int cqn, bit [63:0] ring, bit [63:0] doorbell, int depth,
                            bit [31:0] first_index = 0, int eqn = NO_EQ,
                            string format = "native", bit ignore_overrun = 0, bit collapsed = 0);
      m_is_mlx5[cqn] = format != "native";
      m_consumer[cqn] = first_index;
      record("create", {
             $sformatf("\"cqn\":%0d,\"ring\":\"0x%0h\",\"doorbell\":\"0x%0h\"", cqn, ring, doorbell),
             $sformatf(",\"depth\":%0d,\"stride\":%0d", depth, format == "mlx5_128" ? 128 : 64),
             $sformatf(",\"first_index\":%0d,\"eqn\":%0d,\"format\":\"%s\"", first_index, eqn, format),
             ignore_overrun ? ",\"ignore_overrun\":true" : "", collapsed ? ",\"collapsed\":true" : ""});
    endfunction

    function void create_eq(int eqn, eq_kind_e kind, bit [63:0] ring, int depth, int msix);
      string word = kind == COMPLETION_EQ ? "completion" : "async";
      record("create", {$sformatf("\"eqn\":%0d,\"kind\":\"%s\"", eqn, word),
             $sformatf(",\"ring\":\"0x%0h\",\"depth\":%0d,\"stride\":64", ring, depth),
             $sformatf(",\"vector\":%0d", msix)});
    endfunction

    function void create_qp(int qpn, int generation, int send_cq, int recv_cq, int send_depth,
                            int recv_depth, bit sq_sig_all, string kind = "RC", int srqn = 0);
      record("create", {
             $sformatf("\"qpn\":%0d,\"generation\":%0d", qpn, generation),
             $sformatf(",\"send_cq\":%0d,\"recv_cq\":%0d", send_cq, recv_cq),
             $sformatf(",\"send_depth\":%0d,\"recv_depth\":%0d", send_depth, recv_depth),
             $sformatf(",\"sq_sig_all\":%s,\"type\":\"%s\"%s", json_truth(sq_sig_all), kind,
                       json_srq(srqn))});
    endfunction

    // A shared receive queue (S2.11), number 1 and up; before the QPs that are on it.
    function void create_srq(int srqn, int depth);
      record("create", $sformatf("\"srqn\":%0d,\"depth\":%0d", srqn, depth));
    endfunction
    // Software arms its limit (S5.9); 0: none.
    function void modify_srq(int srqn, int limit);
      record("modify", $sformatf("\"srqn\":%0d,\"limit\":%0d", srqn, limit));
    endfunction

    // The ring of a CQ is replaced: the entry of index `last` ends the old one. `mode`: "marker" or
    // "cutoff". `consumer`: the index that the command brought; -1: the one that was published last.
    function void resize_cq(int cqn, bit [63:0] ring, int depth, bit [31:0] last,
                            string mode = "marker", int stride = 64, longint consumer = -1);
      record("resize", {
             $sformatf("\"cqn\":%0d,\"ring\":\"0x%0h\",\"depth\":%0d", cqn, ring, depth),
             $sformatf(",\"stride\":%0d,\"last\":%0d,\"mode\":\"%s\"", stride, last, mode),
             $sformatf(",\"consumer\":%0d", consumer < 0 ? longint'(m_consumer[cqn]) : consumer)});
    endfunction

    // A query of a CQ was answered. `state`: "ok" or "error"; `armed`: "no", "next", "solicited".
    function void query_cq(int cqn, bit [31:0] producer, bit [31:0] consumer, int depth,
                           string state = "ok", string armed = "no");
      record("query", {
             $sformatf("\"cqn\":%0d,\"producer\":%0d,\"consumer\":%0d", cqn, producer, consumer),
             $sformatf(",\"depth\":%0d,\"state\":\"%s\",\"armed\":\"%s\"", depth, state, armed)});
    endfunction

    // Moderation of a CQ: `count` entries, `period` in ps.
    function void modify_cq(int cqn, int count, longint period);
      record("modify", $sformatf("\"cqn\":%0d,\"count\":%0d,\"period\":%0d", cqn, count, period));
    endfunction

    // Software asks for a state of a QP. `answer` as in refuse_cq, or "ok"; `notify`: it wants
    // SQ_DRAINED (S2.23).
    function void modify_qp(int qpn, int generation, string state, string answer = "ok",
                            bit notify = 0);
      record("modify", $sformatf(
             "\"qpn\":%0d,\"generation\":%0d,\"state\":\"%s\",\"result\":\"%s\",\"notify\":%s",
             qpn, generation, state, answer, json_truth(notify)));
    endfunction

    // Software drained a QP by markers, or gave up (S7.6). `answer` as in modify_qp.
    function void drain(int qpn, string answer = "ok");
      record("drain", $sformatf("\"qpn\":%0d,\"result\":\"%s\"", qpn, answer));
    endfunction

    // A CQ, or the life of a QP, goes: accepted, then done. A reset of a QP is a modify_qp() to
    // "RESET", then both of these.
    function void destroy_cq(int cqn, phase_e phase);
      record("destroy", $sformatf("\"cqn\":%0d,\"phase\":\"%s\"", cqn, phase_name(phase)));
    endfunction
    function void destroy_qp(int qpn, int generation, phase_e phase);
      record("destroy", $sformatf("\"qpn\":%0d,\"generation\":%0d,\"phase\":\"%s\"", qpn,
                                  generation, phase_name(phase)));
    endfunction

    // A command (offset 0) or a write to the register at `offset` was refused. `answer`:
    // "no_entry" "no_memory" "busy" "invalid" "unsupported" "timed_out".
    function void refuse_cq(int cqn, string answer, int offset = 0);
      record("refuse", {$sformatf("\"cqn\":%0d", cqn), json_refusal(answer, offset)});
    endfunction
    function void refuse_qp(int qpn, string answer, int offset = 0);
      record("refuse", {$sformatf("\"qpn\":%0d", qpn), json_refusal(answer, offset)});
    endfunction
    function void refuse_eq(int eqn, string answer, int offset = 0);
      record("refuse", {$sformatf("\"eqn\":%0d", eqn), json_refusal(answer, offset)});
    endfunction

    // States by name: "RESET" "INIT" "RTR" "RTS" "SQD" "SQE" "ERR".
    function void qp_state(int qpn, int generation, string state, string from);
      record("qp_state", $sformatf(
             "\"qpn\":%0d,\"generation\":%0d,\"state\":\"%s\",\"before\":\"%s\"",
             qpn, generation, state, from));
    endfunction

    // --- pipelines --------------------------------------------------------------------------

    // `opcode` of a send request, e.g. "SEND" or "RDMA_WRITE"; a receive request has none.
    function void post(request_t r, string opcode, bit [31:0] length, bit signaled,
                       bit solicited = 0);
      string what = r.wq == SEND_QUEUE ? {",\"opcode\":\"", opcode, "\""} : "";
      record("post", {json_request(r), what, $sformatf(
             ",\"length\":%0d,\"signaled\":%s,\"solicited\":%s", length, json_truth(signaled),
             json_truth(solicited)), json_srq(r.srqn)});
    endfunction
    // Software posts to a shared receive queue: `r` as the message's post() has it that takes it,
    // with its QP.
    function void post_srq(request_t r);
      record("post", $sformatf("\"srqn\":%0d,\"queue\":\"recv\",\"wqe\":%0d,\"serial\":%0d,\"wr_id\":\"0x%0h\"",
                               r.srqn, r.wqe, r.serial, r.wr_id));
    endfunction

    // `status` by name, e.g. "SUCCESS" or "WR_FLUSH_ERR".
    function void complete(request_t r, string status, bit [31:0] length, bit signaled,
                           bit solicited, details_t d);
      string opcode = d.opcode == "" ? "SEND" : d.opcode;
      record("complete", {
             $sformatf("%s,\"status\":\"%s\",\"length\":%0d", json_request(r), status, length),
             $sformatf(",\"signaled\":%s,\"solicited\":%s", json_truth(signaled), json_truth(solicited)),
             $sformatf(",\"flushed\":%s", json_truth(status == "WR_FLUSH_ERR")),
             $sformatf(",\"wc_opcode\":\"%s\",\"byte_len\":%0d", opcode, d.byte_len),
             $sformatf(",\"imm_data\":%0d,\"src_qp\":%0d", d.imm_data, d.src_qp),
             $sformatf(",\"vendor_err\":%0d,\"srqn\":%0d", d.vendor_err, d.srqn),
             $sformatf(",\"wc_flags\":%0d,\"pkey_index\":%0d", d.wc_flags, d.pkey_index),
             $sformatf(",\"slid\":%0d,\"sl\":%0d", d.slid, d.sl),
             $sformatf(",\"dlid_path_bits\":%0d", d.dlid_path_bits)});
    endfunction

    // The work queue begins to flush `count` requests from `wqe` on.
    function void flush(int qpn, int generation, queue_e wq, bit [31:0] wqe, int count);
      record("flush", $sformatf("%s,\"wqe\":%0d,\"count\":%0d",
                                json_work_queue(qpn, generation, wq), wqe, count));
    endfunction

    function void outcome(request_t r, outcome_e what, cause_e cause = CAUSE_NONE);
      record("outcome", $sformatf("%s,\"outcome\":\"%s\",\"cause\":\"%s\"%s", json_request(r), outcome_name(what),
                                  cause_name(cause), json_srq(r.srqn)));
    endfunction

    // --- the block --------------------------------------------------------------------------

    function void suppress(request_t r);
      record("suppress", json_request(r));
    endfunction

    // `queued`: completions in the arbiter, this one included.
    function void arrive(int cqn, request_t r, int queued);
      record("request", $sformatf("%s,\"queued\":%0d", json_passage(cqn, r), queued));
    endfunction

    // `queued`: completions left in the arbiter; `waited` in ps.
    function void grant(int cqn, request_t r, int queued, longint waited);
      record("grant", $sformatf("%s,\"queued\":%0d,\"waited\":%0d", json_passage(cqn, r), queued,
                                waited));
    endfunction

    // `completed`: when the request ended, in ps; `in_use`: entries not known to be consumed.
    // By generation the owner value has two bits more, `owner_high`.
    function void slot(int cqn, request_t r, bit [31:0] index, bit owner, longint completed,
                       int in_use, bit [1:0] owner_high = 0);
      record("slot", $sformatf(
             "%s,\"index\":%0d,\"owner\":%0d,\"completed\":%0d,\"in_use\":%0d",
             json_passage(cqn, r), index, {owner_high, owner}, completed, in_use));
    endfunction

    function void overrun(int cqn, request_t r, bit [31:0] index, cause_e cause,
                          bit [31:0] known_ci);
      record("overrun", $sformatf("%s,\"index\":%0d,\"cause\":\"%s\",\"known_ci\":%0d",
                                  json_passage(cqn, r), index, cause_name(cause), known_ci));
    endfunction

    // `event_name`: "CQ_ERR", of a CQ; "QP_FATAL", ..., of a QP; "PORT_ERR", ..., of neither.
    function void async_cq(int cqn, string event_name);
      record("async", $sformatf("\"event\":\"%s\",\"cqn\":%0d", event_name, cqn));
    endfunction
    function void async_qp(int qpn, string event_name);
      record("async", $sformatf("\"event\":\"%s\",\"qpn\":%0d", event_name, qpn));
    endfunction

    // `event_name`: "SRQ_LIMIT_REACHED", of an SRQ.
    function void async_srq(int srqn, string event_name);
      record("async", $sformatf("\"event\":\"%s\",\"srqn\":%0d", event_name, srqn));
    endfunction

    // `event_name`: "PORT_ERR", ..., of none of them.
    function void async_device(string event_name);
      record("async", $sformatf("\"event\":\"%s\"", event_name));
    endfunction
    // An event queue has gone to error (K13, S6.23).
    function void device_fatal(int eqn);
      record("async", $sformatf("\"event\":\"DEVICE_FATAL\",\"eqn\":%0d", eqn));
    endfunction

    // The CQ reports to its event queue. `index`: of its newest entry; `entries`: since the arm.
    function void cq_event(int cqn, int eqn, bit [31:0] index, why_e why, int entries);
      record("event", $sformatf(
             "\"cqn\":%0d,\"eqn\":%0d,\"index\":%0d,\"why\":\"%s\",\"entries\":%0d", cqn, eqn,
             index, why_name(why), entries));
    endfunction

    // --- buses ------------------------------------------------------------------------------

    // The device issues the write of an entry; it is in memory; software read it and it was valid.
    // Of a slot of 128 bytes, `address` and `bytes` are those of the second half.
    function void cqe_write(int cqn, int slot_number, bit [63:0] address, cqe_t bytes);
      entry("cqe_write", cqn, slot_number, address, bytes);
    endfunction
    function void cqe_visible(int cqn, int slot_number, bit [63:0] address, cqe_t bytes);
      entry("cqe_visible", cqn, slot_number, address, bytes);
    endfunction
    function void poll(int cqn, int slot_number, bit [63:0] address, cqe_t bytes);
      entry("poll", cqn, slot_number, address, bytes);
    endfunction

    // Software rewrites an entry when it takes those of a dead QP out of the ring (S7.7).
    function void sweep(int cqn, int slot_number, bit [63:0] address, cqe_t bytes);
      entry("sweep", cqn, slot_number, address, bytes);
    endfunction

    // Software used a field, e.g. "opcode", of an entry that it read and that is not defined, and
    // read this value there. It fails the run (S1.2).
    function void undefined_read(int cqn, int slot_number, cqe_t bytes, string field, int value);
      record("undefined_read", $sformatf(
             "\"cqn\":%0d,\"slot\":%0d,%s,\"field\":\"%s\",\"value\":%0d", cqn, slot_number,
             json_named(m_is_mlx5[cqn], bytes), field, value));
    endfunction

    // An entry of an event queue is in memory.
    function void eqe(int eqn, int slot_number, bit [63:0] address, eqe_t bytes);
      string of_cq = bytes[63:32] != '1 ? $sformatf(",\"cqn\":%0d", bytes[63:32]) : "";
      string of_qp = bytes[95:64] != '1 ? $sformatf(",\"qpn\":%0d", bytes[95:64]) : "";
      string of_srq = json_srq(bytes[127:96]);
      record("eqe", {$sformatf("\"eqn\":%0d,\"slot\":%0d", eqn, slot_number),
             $sformatf(",\"address\":\"0x%0h\",\"type\":\"%s\"%s%s%s", address,
                       eqe_name(bytes[7:0]), of_cq, of_qp, of_srq),
             $sformatf(",\"owner\":%0d,\"bytes\":\"%s\"", bytes[504], hex_of(bytes))});
    endfunction

    // An MSI-X write is in memory. `msix`: which vector.
    function void irq(int msix, bit [63:0] address, bit [31:0] data);
      record("irq", $sformatf("\"vector\":%0d,\"address\":\"0x%0h\",\"data\":%0d", msix, address,
                              data));
    endfunction

    // Software asks for the next event of a CQ, with the consumer index that it has read up to.
    function void arm(int cqn, bit [31:0] value, bit solicited = 0);
      string word = solicited ? "solicited" : "next";
      record("arm", $sformatf("\"cqn\":%0d,\"ci\":%0d,\"kind\":\"%s\"", cqn, value, word));
    endfunction

    // Software gives the consumer index of an event queue, and may ask for its next interrupt.
    function void ack(int eqn, bit [31:0] value, bit arms);
      record("ack", $sformatf("\"eqn\":%0d,\"ci\":%0d,\"arms\":%s", eqn, value, json_truth(arms)));
    endfunction

    // Software publishes its consumer index in the doorbell record at `address`, or through the BAR:
    // `address` is the register's offset, `value` what all increments add up to.
    function void ci(int cqn, bit [31:0] value, bit [63:0] address);
      m_consumer[cqn] = value;
      record("ci", $sformatf("\"cqn\":%0d,\"ci\":%0d,\"address\":\"0x%0h\"", cqn, value, address));
    endfunction

    // --- the end ----------------------------------------------------------------------------

    // Send and receive requests that have no outcome. Closes the file.
    function void finish(end_e reason, longint open_sends, longint open_receives);
      string word = reason == END_IDLE ? "idle" : reason == END_TIME ? "end" : "stalled";
      record("end", $sformatf(
             "\"reason\":\"%s\",\"open_sends\":%0d,\"open_receives\":%0d", word, open_sends,
             open_receives));
      $fclose(m_file);
      m_file = 0;
    endfunction

    // --- pieces -----------------------------------------------------------------------------

    // What the bytes say is read from them by `cqsim check` itself; the log repeats it for people.
    local function void entry(string kind, int cqn, int slot_number, bit [63:0] address,
                              cqe_t bytes);
      record(kind, $sformatf(
             "\"cqn\":%0d,\"slot\":%0d,\"address\":\"0x%0h\",%s,\"bytes\":\"%s\"",
             cqn, slot_number, address, json_decoded(m_is_mlx5[cqn], bytes), hex_of(bytes)));
    endfunction
  endclass

endpackage
