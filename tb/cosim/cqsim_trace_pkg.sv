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
// found by finish(). Works with Verilator 5.006 and later.
package cqsim_trace_pkg;

  timeunit 1ps;
  timeprecision 1ps;

  typedef enum int {SEND_QUEUE, RECV_QUEUE} queue_e;
  typedef enum int {END_IDLE, END_TIME, END_STALLED} end_e;
  typedef enum int {SUPPRESSED, GRANTED, LOST, CANCELLED} outcome_e;
  typedef enum int {CAUSE_NONE, CAUSE_OVERRUN, CAUSE_CQ_ERROR, CAUSE_WRITE_FAILED} cause_e;
  typedef bit [511:0] cqe_t;  // byte 0 in bits 7:0

  // The number of a work completion status by its name (S1.10); 255 for a name that there is not.
  function automatic bit [7:0] status_number(string name);
    for (int i = 0; i < 24; i++) if (status_name(8'(i)) == name) return 8'(i);
    return 255;
  endfunction

  function automatic string status_name(bit [7:0] status);
    case (status)
      0:  return "SUCCESS";
      1:  return "LOC_LEN_ERR";
      2:  return "LOC_QP_OP_ERR";
      3:  return "LOC_EEC_OP_ERR";
      4:  return "LOC_PROT_ERR";
      5:  return "WR_FLUSH_ERR";
      6:  return "MW_BIND_ERR";
      7:  return "BAD_RESP_ERR";
      8:  return "LOC_ACCESS_ERR";
      9:  return "REM_INV_REQ_ERR";
      10: return "REM_ACCESS_ERR";
      11: return "REM_OP_ERR";
      12: return "RETRY_EXC_ERR";
      13: return "RNR_RETRY_EXC_ERR";
      14: return "LOC_RDD_VIOL_ERR";
      15: return "REM_INV_RD_REQ_ERR";
      16: return "REM_ABORT_ERR";
      17: return "INV_EECN_ERR";
      18: return "INV_EEC_STATE_ERR";
      19: return "FATAL_ERR";
      20: return "RESP_TIMEOUT_ERR";
      21: return "GENERAL_ERR";
      22: return "TM_ERR";
      23: return "TM_RNDV_INCOMPLETE";
      default: return "?";
    endcase
  endfunction

  // The content of a completion as the pipeline knows it (S1.1).
  typedef struct {
    string     opcode;  // of the completion, e.g. "SEND" or "RECV"; "" for a failed one
    bit [31:0] byte_len;
    bit [31:0] imm_data;
    bit [31:0] src_qp;
    bit [31:0] vendor_err;
    bit [31:0] srqn;
    bit [15:0] wc_flags;
    bit [15:0] pkey_index;
    bit [15:0] slid;
    bit [7:0]  sl;
    bit [7:0]  dlid_path_bits;
  } details_t;

  // A work request: its work queue, its number in it, and how software calls it.
  typedef struct {
    int        qpn;
    int        generation;  // which life of the QP number, from 1
    queue_e    wq;     // which work queue of the QP
    bit [31:0] wqe;     // free-running number in its work queue, from 0
    longint    serial;  // unique in the run, from 1
    bit [63:0] wr_id;
  } request_t;

  // A content in which nothing but the opcode is set.
  function automatic details_t only_opcode(string opcode);
    details_t d;
    d.opcode = opcode;
    d.byte_len = 0;
    d.imm_data = 0;
    d.src_qp = 0;
    d.vendor_err = 0;
    d.srqn = 0;
    d.wc_flags = 0;
    d.pkey_index = 0;
    d.slid = 0;
    d.sl = 0;
    d.dlid_path_bits = 0;
    return d;
  endfunction

  /* verilator lint_off DECLFILENAME */
  class trace;
    local int    m_file;
    local string m_names[3];  // of CQs, QPs, EQs
    local string m_scenario;
    local longint m_seed;
    local string m_device;    // further keys of the header
    int index_width = 32;     // bits of device-visible indices
    string source = "rtl";    // what the records say they come from

    function new(string path, string scenario, longint seed = 0);
      m_file = $fopen(path, "w");
      if (m_file == 0) $fatal(1, "%s: cannot be opened for writing", path);
      m_scenario = scenario;
      m_seed = seed;
    endfunction

    // Names for numbers first .. first + count - 1. Before begin_records().
    function void name_cq(string name, int first, int count = 1);
      add_name(0, name, first, count);
    endfunction
    function void name_qp(string name, int first, int count = 1);
      add_name(1, name, first, count);
    endfunction
    function void name_eq(string name, int first, int count = 1);
      add_name(2, name, first, count);
    endfunction

    // A further key of the header with its value as JSON, e.g. knob("arm", "\"level\"").
    function void knob(string key, string value);
      m_device = {m_device, ",\"", key, "\":", value};
    endfunction

    // Writes the header; every record comes after it.
    function void begin_records();
      string eq = m_names[2] == "" ? "" : {",\"eq\":[", m_names[2], "]"};
      $fwrite(m_file, "{\"format\":\"cqsim-events\",\"schema\":1,\"scenario\":\"%s\",\"seed\":%0d",
              m_scenario, m_seed);
      $fwrite(m_file, ",\"events\":[\"post\",\"complete\",\"suppress\",\"request\",\"grant\",\"slot\"");
      $fwrite(m_file, ",\"overrun\",\"cqe_write\",\"cqe_visible\",\"poll\",\"ci\",\"async\"");
      $fwrite(m_file, ",\"qp_state\",\"flush\",\"create\",\"outcome\",\"end\"]");
      $fwrite(m_file, ",\"cqe_format\":\"native\",\"index_width\":%0d%s", index_width, m_device);
      $fwrite(m_file, ",\"cq\":[%s],\"qp\":[%s]%s}\n", m_names[0], m_names[1], eq);
    endfunction

    // --- objects ----------------------------------------------------------------------------

    function void create_cq(int cqn, bit [63:0] ring, bit [63:0] doorbell, int depth,
                            bit [31:0] first_index = 0);
      record("create", {
             $sformatf("\"cqn\":%0d,\"ring\":\"0x%0h\",\"doorbell\":\"0x%0h\"", cqn, ring, doorbell),
             $sformatf(",\"depth\":%0d,\"stride\":64,\"first_index\":%0d", depth, first_index)});
    endfunction

    function void create_qp(int qpn, int generation, int send_cq, int recv_cq, int send_depth,
                            int recv_depth, bit sq_sig_all);
      record("create", {
             $sformatf("\"qpn\":%0d,\"generation\":%0d", qpn, generation),
             $sformatf(",\"send_cq\":%0d,\"recv_cq\":%0d", send_cq, recv_cq),
             $sformatf(",\"send_depth\":%0d,\"recv_depth\":%0d", send_depth, recv_depth),
             $sformatf(",\"sq_sig_all\":%s", truth(sq_sig_all))});
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
      record("post", {request(r), what, $sformatf(
             ",\"length\":%0d,\"signaled\":%s,\"solicited\":%s", length, truth(signaled),
             truth(solicited))});
    endfunction

    // `status` by name, e.g. "SUCCESS" or "WR_FLUSH_ERR".
    function void complete(request_t r, string status, bit [31:0] length, bit signaled,
                           bit solicited, details_t d);
      string opcode = d.opcode == "" ? "SEND" : d.opcode;
      record("complete", {
             $sformatf("%s,\"status\":\"%s\",\"length\":%0d", request(r), status, length),
             $sformatf(",\"signaled\":%s,\"solicited\":%s", truth(signaled), truth(solicited)),
             $sformatf(",\"flushed\":%s", truth(status == "WR_FLUSH_ERR")),
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
                                work_queue(qpn, generation, wq), wqe, count));
    endfunction

    function void outcome(request_t r, outcome_e what, cause_e cause = CAUSE_NONE);
      string word, why;
      case (what)
        SUPPRESSED: word = "suppressed";
        GRANTED:    word = "granted";
        LOST:       word = "lost";
        default:    word = "cancelled";
      endcase
      why = cause_name(cause);
      record("outcome", $sformatf("%s,\"outcome\":\"%s\",\"cause\":\"%s\"", request(r), word, why));
    endfunction

    // --- the block --------------------------------------------------------------------------

    function void suppress(request_t r);
      record("suppress", request(r));
    endfunction

    // `queued`: completions in the arbiter, this one included.
    function void arrive(int cqn, request_t r, int queued);
      record("request", $sformatf("%s,\"queued\":%0d", passage(cqn, r), queued));
    endfunction

    // `queued`: completions left in the arbiter; `waited` in ps.
    function void grant(int cqn, request_t r, int queued, longint waited);
      record("grant", $sformatf("%s,\"queued\":%0d,\"waited\":%0d", passage(cqn, r), queued,
                                waited));
    endfunction

    // `completed`: when the request ended, in ps; `in_use`: entries not known to be consumed.
    function void slot(int cqn, request_t r, bit [31:0] index, bit owner, longint completed,
                       int in_use);
      record("slot", $sformatf(
             "%s,\"index\":%0d,\"owner\":%0d,\"completed\":%0d,\"in_use\":%0d",
             passage(cqn, r), index, owner, completed, in_use));
    endfunction

    function void overrun(int cqn, request_t r, bit [31:0] index, cause_e cause,
                          bit [31:0] known_ci);
      record("overrun", $sformatf("%s,\"index\":%0d,\"cause\":\"%s\",\"known_ci\":%0d",
                                  passage(cqn, r), index, cause_name(cause), known_ci));
    endfunction

    // `event_name`: "CQ_ERR", of a CQ.
    function void async_cq(int cqn, string event_name);
      record("async", $sformatf("\"event\":\"%s\",\"cqn\":%0d", event_name, cqn));
    endfunction
    // `event_name`: "QP_FATAL", ..., of a QP.
    function void async_qp(int qpn, int generation, string event_name);
      record("async", $sformatf("\"event\":\"%s\",\"qpn\":%0d,\"generation\":%0d", event_name, qpn,
                                generation));
    endfunction

    // --- buses ------------------------------------------------------------------------------

    // The device issues the write of an entry; it is in memory; software read it and found it valid.
    function void cqe_write(int cqn, int slot_number, bit [63:0] address, cqe_t bytes);
      entry("cqe_write", cqn, slot_number, address, bytes);
    endfunction
    function void cqe_visible(int cqn, int slot_number, bit [63:0] address, cqe_t bytes);
      entry("cqe_visible", cqn, slot_number, address, bytes);
    endfunction
    function void poll(int cqn, int slot_number, bit [63:0] address, cqe_t bytes);
      entry("poll", cqn, slot_number, address, bytes);
    endfunction

    // Software publishes its consumer index in the doorbell record at `address`.
    function void ci(int cqn, bit [31:0] value, bit [63:0] address);
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

    local function void add_name(bit [1:0] which, string name, int first, int count);
      string item = $sformatf("{\"name\":\"%s\",\"first\":%0d,\"count\":%0d}", name, first, count);
      m_names[which] = m_names[which] == "" ? item : {m_names[which], ",", item};
    endfunction

    // A record of a kind that has no function of its own: `fields` is JSON without braces.
    function void record(string kind, string fields);
      $fwrite(m_file, "{\"t\":%0d,\"src\":\"%s\",\"ev\":\"%s\",%s}\n", $time, source, kind, fields);
    endfunction

    local function string truth(bit value);
      return value ? "true" : "false";
    endfunction

    local function string cause_name(cause_e cause);
      case (cause)
        CAUSE_NONE:     return "none";
        CAUSE_OVERRUN:  return "overrun";
        CAUSE_CQ_ERROR: return "cq_error";
        default:        return "write_failed";
      endcase
    endfunction

    local function string queue_name(queue_e wq);
      return wq == SEND_QUEUE ? "send" : "recv";
    endfunction

    local function string work_queue(int qpn, int generation, queue_e wq);
      return $sformatf("\"qpn\":%0d,\"generation\":%0d,\"queue\":\"%s\"", qpn, generation,
                       queue_name(wq));
    endfunction

    local function string request(request_t r);
      return $sformatf("%s,\"wqe\":%0d,\"serial\":%0d,\"wr_id\":\"0x%0h\"",
                       work_queue(r.qpn, r.generation, r.wq), r.wqe, r.serial, r.wr_id);
    endfunction

    local function string passage(int cqn, request_t r);
      return $sformatf("\"cqn\":%0d,%s,\"serial\":%0d", cqn,
                       work_queue(r.qpn, r.generation, r.wq), r.serial);
    endfunction

    // What the bytes say is read from them by `cqsim check` itself; the log repeats it for people.
    local function void entry(string kind, int cqn, int slot_number, bit [63:0] address,
                              cqe_t bytes);
      string hex;
      for (int i = 0; i < 64; i++) hex = {hex, $sformatf("%02h", bytes[8*i+:8])};
      record(kind, $sformatf(
             "\"cqn\":%0d,\"slot\":%0d,\"address\":\"0x%0h\",%s,\"bytes\":\"%s\"",
             cqn, slot_number, address, decoded(bytes), hex));
    endfunction

    // What the native entry says (models/cqe/native.h).
    local function string decoded(cqe_t bytes);
      bit [7:0] own = bytes[511:504];
      return $sformatf(
          "\"qpn\":%0d,\"queue\":\"%s\",\"wr_id\":\"0x%0h\",\"status\":\"%s\",\"owner\":%0d",
          bytes[87:64], queue_name(own[7:4] == 0 ? SEND_QUEUE : RECV_QUEUE), bytes[63:0],
          status_name(bytes[431:424]), own[0]);
    endfunction

  endclass

endpackage
