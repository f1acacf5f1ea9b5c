// SPDX-License-Identifier: Apache-2.0
//
// A small completion queue block in RTL, for trying the trace package: two requesters, one ring.
// One completion is taken a cycle; its entry is in memory LATENCY cycles later.
module cq_block #(
    parameter int LOG_DEPTH = 3,
    parameter int LATENCY = 3,
    parameter bit STUCK_OWNER = 0,  // fault: the owner bit does not change from lap to lap
    parameter bit SWAP_ENTRIES = 0  // fault: once, two entries change places
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [1:0]           valid,        // requester 0: sends, 1: receives
    input  logic [1:0][503:0]    body,         // the entry without its own byte
    output logic [1:0]           taken,
    input  logic [31:0]          consumer,     // software's consumer index
    output logic                 slot_valid,   // a slot was given: to requester slot_side
    output logic                 slot_side,
    output logic [31:0]          slot_index,
    output logic                 slot_owner,
    output logic [511:0]         slot_entry,
    output logic                 write_valid,  // an entry is in memory from this cycle on
    output logic [31:0]          write_index,
    output logic [511:0]         write_entry
);
  timeunit 1ps;
  timeprecision 1ps;

  logic [31:0] producer;
  logic        turn;  // who goes first when both ask
  logic        side;
  logic        room;
  logic [LATENCY-1:0]        flight;
  logic [LATENCY-1:0][31:0]  flight_index;
  logic [LATENCY-1:0][511:0] flight_entry;

  assign room = producer - consumer < (32'd1 << LOG_DEPTH);
  assign side = valid[turn] ? turn : ~turn;
  assign slot_valid = room && |valid;
  assign slot_side = side;
  assign slot_index = SWAP_ENTRIES && producer[31:1] == 31'd5 ? producer ^ 32'd1 : producer;
  assign slot_owner = STUCK_OWNER ? 1'b0 : slot_index[LOG_DEPTH];
  assign slot_entry = {3'b0, side, 3'b0, slot_owner, body[side]};
  assign taken = slot_valid ? 2'b01 << side : 2'b00;
  assign write_valid = flight[LATENCY-1];
  assign write_index = flight_index[LATENCY-1];
  assign write_entry = flight_entry[LATENCY-1];

  always_ff @(posedge clk) begin
    if (rst) begin
      producer <= 0;
      turn <= 0;
      flight <= 0;
    end else begin
      flight <= {flight[LATENCY-2:0], slot_valid};
      flight_index <= {flight_index[LATENCY-2:0], slot_index};
      flight_entry <= {flight_entry[LATENCY-2:0], slot_entry};
      if (slot_valid) begin
        producer <= producer + 1;
        turn <= ~side;
      end
    end
  end

endmodule
