// SPDX-License-Identifier: Apache-2.0
//
// The file that cqsim_trace_pkg writes: its header, and a line for a record.
package cqsim_trace_base_pkg;

  timeunit 1ps;
  timeprecision 1ps;

  import cqsim_trace_types_pkg::*;

  /* verilator lint_off DECLFILENAME */
  class trace_base;
    protected int m_file;
    local string m_names[4];  // of CQs, QPs, EQs, SRQs
    local string m_scenario;
    local longint m_seed;
    // What the header says of the device. Change it before begin_records().
    int index_width = 32;           // bits of device-visible indices
    string memory_ordering = "in_order";  // or "relaxed"
    string cq_full = "depth";       // K01
    string cq_error = "sticky";     // K03
    string cq_err = "once";         // K04
    string qp_fatal = "once";       // K06
    string overrun_ignore = "off";  // K12
    string owner_scheme = "parity"; // K02; the header's "owner"
    string send_byte_len = "undefined";  // K19: or "length"
    string consumer_index = "record";  // K20: or "mmio" or "increment"
    string slot_release = "poll";   // K26: or "completion"
    string flush_order = "interleaved";  // K18: or "sq_then_rq" or "rq_then_sq"
    string reset_from = "any";      // K21: or "error"
    string failed_sends = "solicited";  // K11: or "plain"
    string connections = "";        // of QPs: json_connection(), with commas between them
    int vectors = 0;                // of the MSI-X table
    string arm_by = "edge";         // K09: "edge" or "level"; the header's "arm"
    longint event_latency = 0;      // ps, at most from an entry in memory to its event
    bit moderation_break = 1;       // K15: a solicited or failed entry breaks moderation
    string eq_overflow = "fatal";   // K13: "fatal", "drop" or "back_pressure"
    string source = "rtl";          // what the records say they come from

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
    function void name_srq(string name, int first, int count = 1);
      add_name(3, name, first, count);
    endfunction

    // Writes the header; every record comes after it.
    function void begin_records();
      $fwrite(m_file, "{\"format\":\"cqsim-events\",\"schema\":1,\"scenario\":\"%s\",\"seed\":%0d",
              m_scenario, m_seed);
      $fwrite(m_file, ",\"events\":[\"post\",\"complete\",\"suppress\",\"request\",\"grant\",\"slot\"");
      $fwrite(m_file, ",\"overrun\",\"cqe_write\",\"cqe_visible\",\"poll\",\"ci\",\"async\"");
      $fwrite(m_file, ",\"qp_state\",\"flush\",\"create\",\"outcome\",\"end\",\"arm\",\"event\"");
      $fwrite(m_file, ",\"eqe\",\"irq\",\"ack\",\"modify\",\"destroy\",\"refuse\",\"sweep\"");
      $fwrite(m_file, ",\"resize\",\"query\",\"packet\",\"drain\"]");
      $fwrite(m_file, ",\"cqe_format\":\"native\",\"index_width\":%0d", index_width);
      knob("memory_ordering", memory_ordering);
      knob("cq_full", cq_full);              knob("cq_error", cq_error);
      knob("cq_err", cq_err);                knob("qp_fatal", qp_fatal);
      knob("overrun_ignore", overrun_ignore);
      knob("owner", owner_scheme);           knob("send_byte_len", send_byte_len);
      knob("consumer_index", consumer_index);
      knob("slot_release", slot_release);
      knob("flush_order", flush_order);      knob("reset_from", reset_from);
      knob("failed_sends", failed_sends);    knob("arm", arm_by);
      knob("eq_overflow", eq_overflow);
      $fwrite(m_file, ",\"event_latency\":%0d", event_latency);
      $fwrite(m_file, ",\"moderation_break\":%s,\"vectors\":%0d", json_truth(moderation_break), vectors);
      $fwrite(m_file, ",\"connection\":[%s]", connections);
      $fwrite(m_file, ",\"cq\":[%s],\"qp\":[%s],\"eq\":[%s],\"srq\":[%s]}\n", m_names[0],
              m_names[1], m_names[2], m_names[3]);
    endfunction

    local function void add_name(bit [1:0] which, string name, int first, int count);
      string item = $sformatf("{\"name\":\"%s\",\"first\":%0d,\"count\":%0d}", name, first, count);
      m_names[which] = m_names[which] == "" ? item : {m_names[which], ",", item};
    endfunction

    // A record of any kind, "packet" with json_packet() and "drain" too: `fields` is JSON without
    // braces.
    function void record(string kind, string fields);
      $fwrite(m_file, "{\"t\":%0d,\"src\":\"%s\",\"ev\":\"%s\",%s}\n", $time, source, kind, fields);
    endfunction

    local function void knob(string key, string value);
      $fwrite(m_file, ",\"%s\":\"%s\"", key, value);
    endfunction
  endclass

endpackage
