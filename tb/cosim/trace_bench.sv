// SPDX-License-Identifier: Apache-2.0
//
// A test bench that writes events.jsonl through cqsim_trace_pkg: one QP posts sends and receives,
// they end, cq_block reports them, and software sleeps till an event, then polls them. The faults
// of cq_block and of the bench show that `cqsim check` finds them:
//
//     $ verilator --binary --timing -O2 --assert -Wall --top trace_bench
//               cqsim_trace_types_pkg.sv cqsim_trace_base_pkg.sv cqsim_trace_pkg.sv cq_block.sv trace_bench.sv
//               [-GSTUCK_OWNER=1'b1 | -GSWAP_ENTRIES=1'b1]
//     $ obj_dir/Vtrace_bench +events=events.jsonl [+lose_event]
//     $ cqsim check events.jsonl
module trace_bench #(
    parameter bit STUCK_OWNER = 0,
    parameter bit SWAP_ENTRIES = 0
);
  timeunit 1ps;
  timeprecision 1ps;
  import cqsim_trace_pkg::*;

  localparam int CYCLE = 4000;  // ps
  localparam int LOG_DEPTH = 3;
  localparam int DEPTH = 1 << LOG_DEPTH;
  localparam int REQUESTS = 64;  // of each queue: the ring of 8 wraps sixteen times
  localparam bit [63:0] RING = 64'h1_0000_1000;
  localparam bit [63:0] DOORBELL = 64'h1_0000_0000;
  localparam bit [63:0] EQ_RING = 64'h1_0000_2000;
  localparam int EQ_DEPTH = 16;
  localparam bit [63:0] VECTOR = 64'hFEE0_0000;

  logic clk = 0;
  logic rst = 1;
  logic [1:0] valid;
  logic [1:0][503:0] body;
  logic [1:0] taken;
  logic [1:0] done;
  logic [31:0] consumer = 0;
  logic slot_valid, slot_side, slot_owner, write_valid;
  logic [31:0] slot_index, write_index;
  logic [511:0] slot_entry, write_entry;

  cq_block #(
      .LOG_DEPTH(LOG_DEPTH), .STUCK_OWNER(STUCK_OWNER), .SWAP_ENTRIES(SWAP_ENTRIES)
  ) dut (.*);

  trace events;
  string path;
  request_t next[2];  // the oldest request of each queue that is not reported
  longint ended[2];   // when it ended, ps
  bit [511:0] memory[DEPTH];
  bit [31:0] polled = 0;
  longint serial = 0;
  bit armed = 0;             // the CQ
  bit lose_event = 0;        // fault: one event is never reported
  bit [31:0] reported = 0;   // entries written to the event queue

  function automatic bit [63:0] address_of(bit [31:0] index);
    return RING + {32'b0, index % DEPTH} * 64;
  endfunction

  // Posts the next request of a queue; it ends in the same cycle.
  task automatic post_and_end(int side);
    details_t details = only_opcode(side == 0 ? "SEND" : "RECV");
    serial += 1;
    next[side].serial = serial;
    next[side].wr_id = {32'(side) + 32'hA0, next[side].wqe};
    if (side == 1) details.byte_len = 64;
    events.source = side == 0 ? "bench.tx" : "bench.rx";
    events.post(next[side], "SEND", side == 0 ? 64 : 0, side == 0);
    events.complete(next[side], "SUCCESS", 64, side == 0, 0, details);
    events.source = "bench.arbiter";
    events.arrive(0, next[side], 1 + int'(valid[1-side]));
    ended[side] = $time;
    body[side] = '0;
    body[side][63:0] = next[side].wr_id;
    body[side][127:96] = details.byte_len;
    body[side][255:224] = next[side].wqe;
    body[side][319:256] = $time;
    body[side][423:416] = side == 0 ? 8'd0 : 8'd128;
    valid[side] = 1;
  endtask

  task automatic observe_slot();
    request_t r = next[int'(slot_side)];
    events.source = "bench.arbiter";
    events.grant(0, r, int'(valid[~slot_side]), $time - ended[int'(slot_side)]);
    events.source = "rtl.cq_block";
    events.slot(0, r, slot_index, slot_owner, ended[int'(slot_side)], int'(slot_index - polled) + 1);
    events.cqe_write(0, int'(slot_index % DEPTH), address_of(slot_index), slot_entry);
    events.source = slot_side ? "bench.rx" : "bench.tx";
    events.outcome(r, GRANTED);
  endtask

  // An entry became visible: the CQ reports it, if software waits for one.
  task automatic report_event();
    eqe_t told = '0;
    if (!armed) return;
    armed = 0;
    told[95:64] = '1;  // of no QP, of CQ 0
    told[504] = reported[4];
    events.cq_event(0, 0, write_index, BY_ENTRY, 1);
    events.eqe(0, int'(reported % EQ_DEPTH), EQ_RING + {32'b0, reported % EQ_DEPTH} * 64, told);
    events.irq(0, VECTOR, 0);
    reported += 1;
  endtask

  // Software: asks for the interrupt of the event queue and for the next event of the CQ.
  task automatic wait_for_event();
    events.source = "bench.host";
    events.ack(0, reported, 1);
    events.arm(0, polled);
    armed = !lose_event || reported != 3;
  endtask

  // Software: reads what is valid, then publishes its consumer index.
  task automatic poll_all();
    bit [31:0] begun = polled;
    while (memory[polled%DEPTH][511:508] != 4'hF && memory[polled%DEPTH][504] == polled[LOG_DEPTH])
    begin
      events.source = "bench.host";
      events.poll(0, int'(polled % DEPTH), address_of(polled), memory[polled%DEPTH]);
      polled += 1;
    end
    if (polled != begun) begin
      events.ci(0, polled, DOORBELL);
      consumer = polled;
      if (!armed) wait_for_event();
    end
  endtask

  always #(CYCLE / 2) clk = ~clk;

  initial begin
    if (!$value$plusargs("events=%s", path)) path = "events.jsonl";
    lose_event = $test$plusargs("lose_event");
    events = new(path, "trace_bench", 1);
    events.name_cq("shared", 0);
    events.name_qp("alice", 0);
    events.name_eq("ceq", 0);
    events.vectors = 1;
    events.begin_records();
    events.source = "bench";
    events.create_eq(0, COMPLETION_EQ, EQ_RING, EQ_DEPTH, 0);
    events.create_cq(0, RING, DOORBELL, DEPTH, 0, 0);
    events.create_qp(0, 1, 0, 0, REQUESTS, REQUESTS, 0);
    for (int i = 0; i < DEPTH; i++) memory[i] = {8'hF0, 504'b0};  // S3.3
    for (int side = 0; side < 2; side++) begin
      next[side].qpn = 0;
      next[side].generation = 1;
      next[side].wq = side == 0 ? SEND_QUEUE : RECV_QUEUE;
      next[side].wqe = 0;
    end
    wait_for_event();
    valid = 0;
    body = '0;
    repeat (4) @(posedge clk);
    rst = 0;
    for (int cycle = 0; cycle < 4000 && polled < 2 * REQUESTS; cycle++) begin
      @(negedge clk);  // what the block decided in this cycle is stable
      if (write_valid) begin
        memory[write_index%DEPTH] = write_entry;
        events.source = "rtl.cq_block";
        events.cqe_visible(0, int'(write_index % DEPTH), address_of(write_index), write_entry);
        report_event();
      end
      if (cycle % 11 == 10) poll_all();
      for (int side = 0; side < 2; side++)
        if (!rst && !valid[side] && next[side].wqe < REQUESTS && (cycle + side) % (3 + side) == 0)
          post_and_end(side);
      #1;
      if (slot_valid && !rst) observe_slot();
      done = rst ? 2'b00 : taken;
      @(posedge clk);
      #1;
      for (int side = 0; side < 2; side++) begin
        if (done[side]) begin
          valid[side] = 0;
          next[side].wqe += 1;
        end
      end
    end
    $display("trace_bench: %0d completions polled, %s written", polled, path);
    events.source = "bench";
    events.finish(END_IDLE, 0, 0);
    $finish;
  end

endmodule
