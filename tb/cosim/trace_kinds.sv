// SPDX-License-Identifier: Apache-2.0
//
// Writes one record at least of every kind through cqsim_trace_pkg, a story without a fault; with
// +undefined_read software uses a field of an entry that is not defined. There is no block: the
// bench says what one would do.
module trace_kinds;
  timeunit 1ps;
  timeprecision 1ps;
  import cqsim_trace_pkg::*;

  localparam bit [63:0] RING[2] = '{64'h1_0000_1000, 64'h1_0000_2000};
  localparam bit [63:0] NEW_RING = 64'h1_0000_5000;
  localparam bit [63:0] DOORBELL[2] = '{64'h1_0000_0000, 64'h1_0000_0008};
  localparam bit [63:0] EQ_RING[2] = '{64'h1_0000_3000, 64'h1_0000_4000};
  localparam bit [63:0] VECTOR[2] = '{64'hFEE0_0000, 64'hFEE0_0010};

  trace events;
  string path;
  longint serial = 0;
  bit [31:0] wqe[3] = '{0, 0, 0};
  cqe_t memory[2][4];            // the rings
  bit [31:0] told[2] = '{0, 0};  // entries written to the event queues

  // A send request of a QP is posted.
  task automatic post(int qpn, bit signaled, output request_t r);
    serial += 1;
    r.qpn = qpn;
    r.generation = 1;
    r.wq = SEND_QUEUE;
    r.wqe = wqe[qpn];
    r.serial = serial;
    r.wr_id = 64'(serial);
    wqe[qpn] += 1;
    events.post(r, "SEND", 64, signaled);
  endtask

  // It ends, and is reported to a CQ, where it wins arbitration at once.
  task automatic complete(int cqn, request_t r, string status);
    events.complete(r, status, 64, 1, 0, only_opcode("SEND"));
    events.arrive(cqn, r, 1);
    events.grant(cqn, r, 0, 0);
  endtask

  // It gets a slot, and its entry is written.
  task automatic report(int cqn, request_t r, bit [31:0] index, int in_use);
    cqe_t bytes = '0;
    bytes[63:0] = r.wr_id;
    bytes[95:64] = r.qpn;
    bytes[255:224] = r.wqe;
    bytes[319:256] = $time;
    bytes[504] = 1;  // by phase, in the first lap
    events.slot(cqn, r, index, 1, $time, in_use);
    events.cqe_write(cqn, int'(index), RING[cqn] + {32'b0, index} * 64, bytes);
    events.cqe_visible(cqn, int'(index), RING[cqn] + {32'b0, index} * 64, bytes);
    events.outcome(r, GRANTED);
    memory[cqn][2'(index)] = bytes;
  endtask

  // An entry of an event queue of 128, and the interrupt that it was armed for.
  task automatic tell(int eqn, bit [7:0] kind, bit [31:0] cqn, bit [31:0] qpn, bit interrupts,
                      bit [31:0] srqn = 0);
    eqe_t bytes = '0;
    bytes[7:0] = kind;
    bytes[63:32] = cqn;
    bytes[95:64] = qpn;
    bytes[127:96] = srqn;
    events.eqe(eqn, int'(told[eqn]), EQ_RING[eqn] + {32'b0, told[eqn]} * 64, bytes);
    if (interrupts) events.irq(eqn, VECTOR[eqn], eqn);
    told[eqn] += 1;
  endtask

  task automatic bring_up(int qpn);
    events.modify_qp(qpn, 1, "INIT");
    events.qp_state(qpn, 1, "INIT", "RESET");
    events.modify_qp(qpn, 1, "RTR");
    events.qp_state(qpn, 1, "RTR", "INIT");
    events.modify_qp(qpn, 1, "RTS");
    events.qp_state(qpn, 1, "RTS", "RTR");
  endtask

  task automatic create();
    for (int eqn = 0; eqn < 2; eqn++)
      events.create_eq(eqn, eqn == 0 ? COMPLETION_EQ : ASYNC_EQ, EQ_RING[eqn], 128, eqn);
    for (int cqn = 0; cqn < 2; cqn++)
      events.create_cq(cqn, RING[cqn], DOORBELL[cqn], cqn == 0 ? 4 : 1, 0, 0);
    events.modify_cq(0, 2, 4_000_000);
    for (int qpn = 0; qpn < 3; qpn++) begin
      events.create_qp(qpn, 1, qpn / 2, qpn / 2, 8, 8, 0, qpn < 2 ? "UC" : "RC");
      bring_up(qpn);
    end
    events.ack(0, 0, 1);
    events.ack(1, 0, 1);
    events.arm(0, 0);
    events.arm(0, 'h1_0000);  // of a consumer index with more bits than an index
    events.query_cq(0, 0, 0, 4, "ok", "next");
    events.refuse_cq(0, "invalid", 'h20);
    events.refuse_qp(9, "no_entry");
    events.refuse_eq(9, "no_entry");
  endtask

  // The message of a connected QP, which finds no receive request at the other one (S2.14).
  task automatic travel(request_t r);
    for (int end_of = 0; end_of < 2; end_of++)
      events.record("packet", json_packet(end_of == 0 ? r.qpn : 1 - r.qpn, 1,
                                          end_of == 0 ? 1 - r.qpn : r.qpn, "REQUEST", end_of == 0,
                                          24'(r.wqe), r.wqe, "SEND", 64));
  endtask

  // QPs 0 and 1 are connected, and report to CQ 0. QP 1 is destroyed, and its entry taken out of the ring (S7.7).
  task automatic live_and_die();
    request_t quiet, first, second;
    post(0, 0, quiet);
    travel(quiet);
    events.complete(quiet, "SUCCESS", 64, 0, 0, only_opcode("SEND"));
    events.suppress(quiet);
    events.outcome(quiet, SUPPRESSED);
    post(0, 1, first);
    travel(first);
    complete(0, first, "SUCCESS");
    report(0, first, 0, 1);
    post(1, 1, second);
    travel(second);
    complete(0, second, "SUCCESS");
    report(0, second, 1, 2);
    events.cq_event(0, 0, 1, BY_COUNT, 2);
    tell(0, 0, 0, '1, 1);
    events.destroy_qp(1, 1, BEGUN);
    events.destroy_qp(1, 1, DONE);
    events.sweep(0, 1, RING[0] + 64, memory[0][0]);
    events.ci(0, 1, DOORBELL[0]);
    events.poll(0, 1, RING[0] + 64, memory[0][0]);
    events.ci(0, 2, DOORBELL[0]);
    events.ack(0, 1, 0);
  endtask

  // CQ 0, which is empty, gets another ring: the entry of index 2 ends the old one.
  task automatic resize();
    cqe_t last = '0;
    last[511:504] = 8'h51;
    events.resize_cq(0, NEW_RING, 8, 2);
    events.cqe_write(0, 2, RING[0] + 128, last);
    events.cqe_visible(0, 2, RING[0] + 128, last);
    events.ci(0, 3, DOORBELL[0]);
    events.query_cq(0, 3, 3, 8);
  endtask

  // QP 2 reports to CQ 1, which has room for one entry.
  task automatic overrun();
    request_t first, second, third;
    post(2, 1, first);
    post(2, 1, second);
    post(2, 1, third);
    complete(1, first, "SUCCESS");
    report(1, first, 0, 1);
    complete(1, second, "SUCCESS");
    events.overrun(1, second, 1, CAUSE_OVERRUN, 0);
    events.async_cq(1, "CQ_ERR");
    tell(1, 1, 1, '1, 1);
    events.qp_state(2, 1, "ERR", "RTS");
    events.async_qp(2, "QP_FATAL");
    tell(1, 2, '1, 2, 0);
    events.async_device("PORT_ERR");
    tell(1, 11, '1, '1, 0);
    events.outcome(second, LOST, CAUSE_OVERRUN);
    events.flush(2, 1, SEND_QUEUE, third.wqe, 1);
    complete(1, third, "WR_FLUSH_ERR");
    events.overrun(1, third, 1, CAUSE_CQ_ERROR, 0);
    events.outcome(third, LOST, CAUSE_CQ_ERROR);
    events.drain(2, "timed_out");
    events.poll(1, 0, RING[1], memory[1][0]);
    events.ci(1, 1, DOORBELL[1]);
    events.record("drain", "\"qpn\":2,\"result\":\"timed_out\"");  // software gives up (S7.6)
    events.destroy_qp(2, 1, BEGUN);
    events.destroy_qp(2, 1, DONE);
    events.destroy_cq(1, BEGUN);
    events.destroy_cq(1, DONE);
  endtask

  // A message for QP 3 takes the one request of SRQ 1, and falls below its limit. QP 3 goes.
  task automatic share();
    request_t r;
    events.create_srq(1, 2);
    events.create_qp(3, 1, 0, 0, 8, 2, 0, "RC", 1);
    bring_up(3);
    serial += 1;
    r.generation = 1;
    r.wq = RECV_QUEUE;
    r.wqe = 0;
    r.serial = serial;
    r.wr_id = 64'(serial);
    r.srqn = 1;
    events.post_srq(r);
    events.modify_srq(1, 1);
    r.qpn = 3;
    events.post(r, "", 64, 0);
    events.async_srq(1, "SRQ_LIMIT_REACHED");
    tell(1, 16, '1, '1, 0, 1);
    events.destroy_qp(3, 1, BEGUN);
    events.outcome(r, CANCELLED);
    events.destroy_qp(3, 1, DONE);
  endtask

  initial begin
    if (!$value$plusargs("events=%s", path)) path = "events.jsonl";
    events = new(path, "trace_kinds", 1);
    events.name_cq("cq", 0, 2);
    events.name_qp("qp", 0, 4);
    events.name_eq("eq", 0, 2);
    events.name_srq("pool", 1);
    events.index_width = 16;
    events.vectors = 2;
    events.arm_by = "level";
    events.moderation_break = 0;
    events.eq_overflow = "drop";
    events.owner_scheme = "phase";
    events.connections = json_connection(0, 1);
    events.begin_records();
    create();
    #1000 live_and_die();
    #1000 resize();
    if ($test$plusargs("undefined_read")) events.undefined_read(0, 1, memory[0][0], "opcode", 94);
    #1000 overrun();
    #1000 share();
    #1000 events.finish(END_IDLE, 0, 0);
    $finish;
  end

endmodule
