// SPDX-License-Identifier: Apache-2.0
//
// What the records of cqsim_trace_pkg are made of: numbers, names, the content of requests, and the
// JSON of what several kinds have.
package cqsim_trace_types_pkg;

  timeunit 1ps;
  timeprecision 1ps;

  typedef enum int {SEND_QUEUE, RECV_QUEUE} queue_e;
  typedef enum int {END_IDLE, END_TIME, END_STALLED} end_e;
  typedef enum int {SUPPRESSED, GRANTED, LOST, CANCELLED} outcome_e;
  typedef enum int {CAUSE_NONE, CAUSE_OVERRUN, CAUSE_CQ_ERROR, CAUSE_WRITE_FAILED} cause_e;
  typedef enum int {COMPLETION_EQ, ASYNC_EQ} eq_kind_e;
  typedef enum int {BY_ENTRY, BY_COUNT, BY_PERIOD, BY_BREAK} why_e;
  typedef enum int {BEGUN, DONE} phase_e;
  typedef bit [511:0] cqe_t;  // an entry of a CQ; byte 0 in bits 7:0
  typedef bit [511:0] eqe_t;  // an entry of an event queue
  localparam int NO_EQ = 65535;  // of a CQ that can only be polled

  // Work completion statuses by their numbers (S1.10), and asynchronous events.
  localparam string STATUS[24] = '{
      "SUCCESS", "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_EEC_OP_ERR", "LOC_PROT_ERR", "WR_FLUSH_ERR",
      "MW_BIND_ERR", "BAD_RESP_ERR", "LOC_ACCESS_ERR", "REM_INV_REQ_ERR", "REM_ACCESS_ERR",
      "REM_OP_ERR", "RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR", "LOC_RDD_VIOL_ERR", "REM_INV_RD_REQ_ERR",
      "REM_ABORT_ERR", "INV_EECN_ERR", "INV_EEC_STATE_ERR", "FATAL_ERR", "RESP_TIMEOUT_ERR",
      "GENERAL_ERR", "TM_ERR", "TM_RNDV_INCOMPLETE"};
  localparam string ASYNC[17] = '{
      "CQ_ERR", "QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "COMM_EST", "SQ_DRAINED", "PATH_MIG",
      "PATH_MIG_ERR", "DEVICE_FATAL", "PORT_ACTIVE", "PORT_ERR", "LID_CHANGE", "PKEY_CHANGE",
      "SM_CHANGE", "SRQ_ERR", "SRQ_LIMIT_REACHED", "QP_LAST_WQE_REACHED"};

  // The number of a work completion status by its name (S1.10); 255 for a name that there is not.
  function automatic bit [7:0] status_number(string name);
    for (int i = 0; i < 24; i++) if (status_name(8'(i)) == name) return 8'(i);
    return 255;
  endfunction

  // What an entry of an event queue reports: "COMP", or an asynchronous event.
  function automatic string eqe_name(bit [7:0] kind);
    return kind == 0 ? "COMP" : kind <= 17 ? ASYNC[5'(kind-8'd1)] : "?";
  endfunction

  function automatic string status_name(bit [7:0] status);
    return status < 24 ? STATUS[5'(status)] : "?";
  endfunction

  // Of an entry of format mlx5 that failed (S1.13).
  function automatic string syndrome_name(bit [7:0] syndrome);
    case (syndrome)
      8'h01:   return "LOC_LEN_ERR";
      8'h02:   return "LOC_QP_OP_ERR";
      8'h04:   return "LOC_PROT_ERR";
      8'h05:   return "WR_FLUSH_ERR";
      8'h06:   return "MW_BIND_ERR";
      8'h10:   return "BAD_RESP_ERR";
      8'h11:   return "LOC_ACCESS_ERR";
      8'h12:   return "REM_INV_REQ_ERR";
      8'h13:   return "REM_ACCESS_ERR";
      8'h14:   return "REM_OP_ERR";
      8'h15:   return "RETRY_EXC_ERR";
      8'h16:   return "RNR_RETRY_EXC_ERR";
      8'h22:   return "REM_ABORT_ERR";
      default: return "GENERAL_ERR";
    endcase
  endfunction

  function automatic string phase_name(phase_e phase);
    return phase == BEGUN ? "begun" : "done";
  endfunction

  function automatic string cause_name(cause_e cause);
    case (cause)
      CAUSE_NONE:     return "none";
      CAUSE_OVERRUN:  return "overrun";
      CAUSE_CQ_ERROR: return "cq_error";
      default:        return "write_failed";
    endcase
  endfunction

  function automatic string queue_name(queue_e wq);
    return wq == SEND_QUEUE ? "send" : "recv";
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

  function automatic string outcome_name(outcome_e outcome);
    case (outcome)
      SUPPRESSED: return "suppressed";
      GRANTED:    return "granted";
      LOST:       return "lost";
      default:    return "cancelled";
    endcase
  endfunction

  function automatic string why_name(why_e why);
    case (why)
      BY_ENTRY:  return "entry";
      BY_COUNT:  return "count";
      BY_PERIOD: return "period";
      default:   return "break";
    endcase
  endfunction

  // A work request: its work queue, its number in it, and how software calls it.
  typedef struct {
    int        qpn;
    int        generation;  // which life of the QP number, from 1
    queue_e    wq;     // which work queue of the QP
    bit [31:0] wqe;     // free-running number in its work queue, from 0; of an SRQ's, its slot there
    longint    serial;  // unique in the run, from 1
    bit [63:0] wr_id;
    int        srqn;   // of the shared receive queue that it came from; 0: none
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

  // --- pieces of records -----------------------------------------------------------------

  function automatic string json_refusal(string answer, int offset);
    return $sformatf(",\"result\":\"%s\",\"offset\":%0d", answer, offset);
  endfunction

  function automatic string json_truth(bit value);
    return value ? "true" : "false";
  endfunction

  // The shared receive queue that a record is about, behind other fields; 0: none.
  function automatic string json_srq(int srqn);
    return srqn == 0 ? "" : $sformatf(",\"srqn\":%0d", srqn);
  endfunction

  function automatic string json_work_queue(int qpn, int generation, queue_e wq);
    return $sformatf("\"qpn\":%0d,\"generation\":%0d,\"queue\":\"%s\"", qpn, generation,
                     queue_name(wq));
  endfunction

  function automatic string json_request(request_t r);
    return $sformatf("%s,\"wqe\":%0d,\"serial\":%0d,\"wr_id\":\"0x%0h\"",
                     json_work_queue(r.qpn, r.generation, r.wq), r.wqe, r.serial, r.wr_id);
  endfunction

  function automatic string json_passage(int cqn, request_t r);
    return $sformatf("\"cqn\":%0d,%s,\"serial\":%0d", cqn,
                     json_work_queue(r.qpn, r.generation, r.wq), r.serial);
  endfunction

  function automatic string hex_of(bit [511:0] bytes);
    string hex;
    for (int i = 0; i < 64; i++) hex = {hex, $sformatf("%02h", bytes[8*i+:8])};
    return hex;
  endfunction

  function automatic string json_naming(bit [23:0] qpn, queue_e wq, bit [63:0] wr_id, string status);
    return $sformatf("\"qpn\":%0d,\"queue\":\"%s\",\"wr_id\":\"0x%0h\",\"status\":\"%s\"", qpn,
                     queue_name(wq), wr_id, status);
  endfunction

  // Which request the entry names, and how it ended: native (models/cqe/native.h), or mlx5.
  function automatic string json_named(bit is_mlx5, cqe_t bytes);
    bit [3:0] kind = bytes[511:508];
    if (is_mlx5)
      return json_naming({bytes[463:456], bytes[471:464], bytes[479:472]},
                    kind == 0 || kind == 13 ? SEND_QUEUE : RECV_QUEUE,
                    64'({bytes[487:480], bytes[495:488]}),
                    kind >= 13 ? syndrome_name(bytes[447:440]) : "SUCCESS");
    return json_naming(bytes[87:64], kind == 0 ? SEND_QUEUE : RECV_QUEUE, bytes[63:0],
                  status_name(bytes[431:424]));
  endfunction

  function automatic string json_decoded(bit is_mlx5, cqe_t bytes);
    return $sformatf("%s,\"owner\":%0d", json_named(is_mlx5, bytes), bytes[504]);
  endfunction

  // Of the header: `count` QPs from `first` are connected to those from `peer` (S2.8).
  function automatic string json_connection(int first, int peer, int count = 1,
                                            int retry_cnt = 7, int rnr_retry = 7);
    return {$sformatf("{\"first\":%0d,\"peer\":%0d,\"count\":%0d", first, peer, count),
            $sformatf(",\"retry_cnt\":%0d,\"rnr_retry\":%0d}", retry_cnt, rnr_retry)};
  endfunction

  // A packet at the port of one of two connected QPs, which it leaves (`sent`) or to which it comes.
  // `what`: "REQUEST", "RESPONSE", "ACK", "RNR_NAK", "NAK_SEQUENCE", ... (S2.17). `number`: of the
  // request that it is or answers, on the wire; `wqe`, `opcode` and `length`: of that request.
  function automatic string json_packet(int qpn, int generation, int peer, string what, bit sent,
                                        bit [23:0] number, bit [31:0] wqe, string opcode,
                                        bit [31:0] length);
    return {$sformatf("\"qpn\":%0d,\"generation\":%0d,\"peer\":%0d", qpn, generation, peer),
            $sformatf(",\"packet\":\"%s\",\"sent\":%s", what, json_truth(sent)),
            $sformatf(",\"number\":%0d,\"wqe\":%0d", number, wqe),
            $sformatf(",\"length\":%0d,\"opcode\":\"%s\"", length, opcode)};
  endfunction

endpackage
