/* HLO text: every generation of the printed format, flattened; every kind of bad input, reported with its place. */
#include "frontends/hlo/hlo.h"

#define READ hlo_read
#define ReaderOptions HloOptions
#define READER_DEFAULTS HLO_OPTIONS
#include "tests/unit/reader.h"

static void spellings(void) {
  const char *want = "0 f32[2,3] parameter()\n1 f32[2,3] parameter()\n2 f32[2,3] add(0,1)\n3 f32[2,3] tanh(2)\nout 3\n";
  /* short, long with signature, operand shapes and comments, no header at all */
  READS("HloModule m\nENTRY main {\n  a = f32[2,3]{1,0} parameter(0)\n  b = f32[2,3]{1,0} parameter(1)\n"
        "  s = f32[2,3]{1,0} add(a, b)\n  ROOT t = f32[2,3]{1,0} tanh(s)\n}\n", want);
  READS("HloModule m, entry_computation_layout={(f32[2,3]{1,0}, f32[2,3]{1,0})->f32[2,3]{1,0}}\n\n"
        "ENTRY %main (a: f32[2,3], b: f32[2,3]) -> f32[2,3] {\n"
        "  %b = f32[2,3]{1,0} parameter(1), sharding={devices=[2,1]<=[2]}\n"
        "  %a = f32[2,3]{1,0} parameter(0), metadata={op_name=\"p[\\'a\\']\"}\n"
        "  %s = f32[2,3]{1,0} add(%a, %b), metadata={op_type=\"add\" op_name=\"x\" source_file=\"m.py\" "
        "source_line=4}\n"
        "  ROOT %t = f32[2,3]{1,0} tanh(f32[2,3]{1,0} %s), backend_config={a = 128 : i64, \"}\"}\n"
        "}, execution_thread=\"x\"\n",
        want);
  READS("main {\na=f32[2,3]parameter(0)\nb=f32[2,3]parameter(1)\n"
        "s=f32[2,3]{1,0:T(8,128)(2,1)S(1)} add(/*index=0*/a,b)// c\nROOT t=f32[2,3] tanh(s)}", want);
}

static void tuples(void) {
  const char *want = "0 f32[4] parameter()\n1 f32[4] negate(0)\n2 f32[4] abs(1)\nout 2 0\n";
  READS("ENTRY e {\n %p = f32[4] parameter(0)\n %n = f32[4] negate(%p)\n %u = (f32[4], f32[4]) tuple(%n, %p)\n"
        " %t = ((f32[4], f32[4]), f32[4]) tuple(%u, %p)\n %a = f32[4] abs(%t#0#0)\n"
        " ROOT %r = (f32[4], f32[4]) tuple(%a, %t#0#1)\n}\n", want);
  READS("ENTRY e {\n p = f32[4] parameter(0)\n n = f32[4] negate(p)\n u = (f32[4], f32[4]) tuple(n, p)\n"
        " v = (f32[4], f32[4]) opt-barrier(u)\n b = (f32[4], f32[4]) copy(v)\n"
        " x = f32[4] get-tuple-element(b), index=0\n a = f32[4] abs(x)\n"
        " y = f32[4] get-tuple-element(b), index=1\n ROOT r = (f32[4], f32[4]) tuple(a, y)\n}\n", want);
}

static void literals(void) {
  READS("ENTRY e { ROOT c = s32[2,3] constant({ { 1, -2, 3 }, /*i1=1*/ { 4, 5, 6 } }) }",
        "0 s32[2,3] constant() : 1 -2 3 4 5 6\nout 0\n");
  READS("ENTRY e { ROOT c = f32[3] constant({inf, -inf, nan}) }", "0 f32[3] constant() : inf -inf nan\nout 0\n");
  READS("ENTRY e { ROOT c = f32[2] constant({0.1, 0.1}) }", "0 f32[2] constant() all 13421773/134217728\nout 0\n");
  READS("ENTRY e { ROOT c = bf16[] constant(0.1) }", "0 bf16[] constant() all 205/2048\nout 0\n");
  READS("ENTRY e { ROOT c = pred[3] constant({true, 0, 1}) }", "0 pred[3] constant() : 1 0 1\nout 0\n");
  READS("ENTRY e { ROOT c = u64[] constant(18446744073709551615) }",
        "0 u64[] constant() all 18446744073709551615\nout 0\n");
  READS("ENTRY e { ROOT c = f32[2,0] constant({ {}, {} }) }", "0 f32[2,0] constant() :\nout 0\n");
  READS("ENTRY e { ROOT c = c64[2] constant({ (1, -2), /*x*/ (0.5, 0) }) }",
        "0 c64[2] complex_constant() value=({(1,-2),(0.5,0)})\nout 0\n");
  READS("ENTRY e { ROOT c = f8e4m3fn[] constant(17) }", "0 f8e4m3fn[] constant() all 16\nout 0\n");
}

static void groups(void) {
#define WITH(value) \
  "HloModule m, num_partitions=4\nadd { x = f32[] parameter(0)\n y = f32[] parameter(1)\n" \
  " ROOT z = f32[] add(x, y) }\n" \
  "ENTRY e { p = f32[8] parameter(0)\n ROOT r = f32[8] all-reduce(p), channel_id=1, use_global_device_ids=true, " \
  "replica_groups=" value ", to_apply=add }"
#define GIVES(list) "0 f32[8] parameter()\n1 f32[8] all_reduce(0) replica_groups=" list " reducer=add\nout 1\n"
  READS(WITH("{{0,1},{2,3}}"), GIVES("2:0,1,2,3"));
  READS(WITH("{{3,1},{2,0}}"), GIVES("2:3,1,2,0"));
  READS(WITH("{}"), GIVES("4:0,1,2,3"));
  READS(WITH("[2,2]<=[4]"), GIVES("2:0,1,2,3"));
  READS(WITH("[2,2]<=[2,2]T(1,0)"), GIVES("2:0,2,1,3"));
  READS(WITH("mesh['a'=2,'b'=2] {'a'}"), GIVES("2:0,2,1,3"));
  READS(WITH("mesh['a'=2,'b'=2] {'b','a'}"), GIVES("4:0,2,1,3"));
  READS(WITH("mesh['a'=1,'b'=4] {'b':(2)2}"), GIVES("2:0,1,2,3"));
  READS(WITH("mesh['a'=1,'b'=4] {'b':(1)2}"), GIVES("2:0,2,1,3"));
  READS(WITH("mesh['a'=1,'b'=2,'c'=2], device_ids=([2,2]T(1,0)) {'b'}"), GIVES("2:0,1,2,3"));
  READS(WITH("mesh['b'=2,'c'=2], device_ids=(3,2,1,0) {'c'}"), GIVES("2:3,2,1,0"));
  READS(WITH("{{0,1},{2,3}}, mode=flattened_id"), GIVES("2:0,1,2,3"));
  REFUSES(WITH("{{0,1},{2,3}}, mode=cross_replica"), "E0408", 6);
  REFUSES(WITH("{{0,1},{2}}"), "E0408", 6);
  REFUSES(WITH("{{0,1},{2,2}}"), "E0409", 6);
  REFUSES(WITH("{{0,1}}"), "E0409", 6);
  REFUSES(WITH("{{0,1},{2,4}}"), "E0409", 6);
  REFUSES(WITH("[2,2]<=[8]"), "E0407", 6);
  REFUSES(WITH("[2,2]<=[2,2]T(1,1)"), "E0407", 6);
  REFUSES(WITH("mesh['a'=2,'b'=2] {'c'}"), "E0504", 6);
  REFUSES(WITH("mesh['a'=2,'b'=2] {'a','a'}"), "E0407", 6);
  REFUSES(WITH("[4611686018427387904,4]<=[4]"), "E0405", 6);
}

static void device_numbers(void) {
#define EXCHANGE(header, attrs) \
  "HloModule m" header "\nENTRY e { p = f32[8] parameter(0)\n ROOT r = f32[8] all-gather(p), dimensions={0}" attrs " }"
#define GATHERED(list) "0 f32[8] parameter()\n1 f32[8] all_gather(0) replica_groups=" list " dimensions=0\nout 1\n"
  /* replicas, partitions, and what is over the kind there is one of */
  READS(EXCHANGE(", replica_count=2", ", replica_groups={{1,0}}"), GATHERED("2:1,0"));
  READS(EXCHANGE("", ", replica_groups={{1,0}}"), GATHERED("2:1,0"));
  READS(EXCHANGE(", num_partitions=2", ", replica_groups={}"), GATHERED("1:0,1"));
  READS(EXCHANGE(", num_partitions=2", ", channel_id=1, replica_groups={{0}}"), GATHERED("2:0,1"));
  READS(EXCHANGE(", num_partitions=2", ", channel_id=1, use_global_device_ids=true, replica_groups={{1,0}}"),
        GATHERED("2:1,0"));
  REFUSES(EXCHANGE(", num_partitions=2", ", replica_groups={{0,1}}"), "E0408", 3);
  REFUSES(EXCHANGE(", num_partitions=2, replica_count=2", ", replica_groups={{0,1}}"), "E0408", 3);
  REFUSES(EXCHANGE("", ", channel_id=1, use_global_device_ids=true, replica_groups={}"), "E0409", 3);
  READS("HloModule m, num_partitions=2\nENTRY e { a = u32[] replica-id()\n b = u32[] partition-id()\n"
        " ROOT c = u32[] add(a, b) }",
        "0 u32[] constant() all 0\n1 u32[] partition_id()\n2 u32[] add(0,1)\nout 2\n");
  REFUSES("ENTRY e { a = u32[] replica-id()\n b = u32[] partition-id()\n ROOT c = u32[] add(a, b) }", "E0408", 1);
}

static void operators(void) {
  READS("ENTRY e { p = f32[4,6] parameter(0)\n z = f32[] constant(0)\n s = f32[2,3] slice(p), slice={[0:4:2], [3:6]}\n"
        " ROOT q = f32[4,5] pad(s, z), padding=0_1_1x-1_3 }",
        "0 f32[4,6] parameter()\n1 f32[] constant() all 0\n2 f32[2,3] slice(0) starts=0,3 limits=4,6 strides=2,1\n"
        "3 f32[4,5] pad(2,1) low=0,-1 high=1,3 interior=1,0\nout 3\n");
  READS("ENTRY e { x = f32[2,8,3] parameter(0)\n w = f32[3,3,5] parameter(1)\n"
        " ROOT c = f32[2,4,5] convolution(x, w), window={size=3 stride=2 pad=1_0 rhs_reversal=1}, "
        "dim_labels=b0f_0io->b0f }",
        "0 f32[2,8,3] parameter()\n1 f32[3,3,5] parameter()\n2 f32[2,4,5] convolution(0,1) feature_group_count=1 "
        "batch_group_count=1 window_size=3 window_strides=2 window_low=1 window_high=0 lhs_dilation=1 rhs_dilation=1 "
        "window_reversal=1 input_batch_dimension=0 input_feature_dimension=2 input_spatial_dimensions=1 "
        "kernel_input_feature_dimension=1 kernel_output_feature_dimension=2 kernel_spatial_dimensions=0 "
        "output_batch_dimension=0 output_feature_dimension=2 output_spatial_dimensions=1\nout 2\n");
  READS("ENTRY e { x = f32[9,4] parameter(0)\n i = s32[7] parameter(1)\n"
        " ROOT g = f32[7,4] gather(x, i), offset_dims={1}, "
        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4} }",
        "0 f32[9,4] parameter()\n1 s32[7] parameter()\n2 s32[7,1] reshape(1)\n3 f32[7,4] gather(0,2) offset_dims=1 "
        "collapsed_slice_dims=0 index_vector_dim=1 component=0 batch=\nout 3\n");
  READS("ENTRY e { x = f32[5,9] parameter(0)\n i = s32[5,7,1] parameter(1)\n"
        " ROOT g = f32[5,7] gather(x, i), offset_dims={}, "
        "collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
        "index_vector_dim=2, slice_sizes={1,1} }",
        "0 f32[5,9] parameter()\n1 s32[5,7,1] parameter()\n2 f32[5,7] gather(0,1) offset_dims= collapsed_slice_dims=1 "
        "operand_batching_dims=0 index_vector_dim=2 component=0 batch=0\nout 2\n");
  READS("ENTRY e { x = f32[2,3]{1,0} parameter(0)\n ROOT b = f32[3,2]{0,1} bitcast(x) }",
        "0 f32[2,3] parameter()\n1 f32[3,2] transpose(0) dimensions=1,0\nout 1\n");
  READS("ENTRY e { x = f32[2,3]{1,0} parameter(0)\n ROOT b = f32[6]{0} bitcast(x) }",
        "0 f32[2,3] parameter()\n1 f32[6] reshape(0)\nout 1\n");
  REFUSES("ENTRY e { p = (f32[2,3]{0,1}, f32[2]) parameter(0)\n ROOT b = f32[3,2]{1,0} bitcast(p#0) }\n", "E0408", 2);
  READS("ENTRY e { x = f32[4,2] parameter(0)\n ROOT t = (f32[4,1], s32[4,1]) topk(x), k=1, largest=true }",
        "0 f32[4,2] parameter()\n1 f32[4,1] topk(0) k=1 largest=1\n2#1 s32[4,1] topk(0) k=1 largest=1\nout 1 2\n");
  READS("ENTRY e { x = f32[4] parameter(0)\n ROOT t = f32[4] new-thing(x), power_level=3 }",
        "0 f32[4] parameter()\n1 f32[4] new_thing(0) power_level=3\nout 1\n");
}

static void regions(void) {
  READS("r { a = bf16[] parameter(0)\n b = bf16[] parameter(1)\n c = f32[] convert(b)\n d = f32[] convert(a)\n"
        " e = f32[] maximum(c, d)\n ROOT f = bf16[] convert(e) }\n"
        "ENTRY e { x = bf16[4] parameter(0)\n z = bf16[] constant(-inf)\n"
        " ROOT m = bf16[] reduce(x, z), dimensions={0}, to_apply=r }",
        "0 bf16[4] parameter()\n1 bf16[] constant() all -inf\n2 bf16[] reduce(0,1) dimensions=0 reducer=maximum\n"
        "out 2\n");
  /* two regions that differ only in names are one text; a subtraction is no reducer */
#define ARG(order) \
  "r { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] subtract(a, b) }\n" \
  "s { u = f32[] parameter(0)\n v = f32[] parameter(1)\n w = f32[] add(u, v)\n ROOT c = f32[] subtract(" order ") }\n" \
  "ENTRY e { x = f32[4] parameter(0)\n z = f32[] constant(0)\n m = f32[] reduce(x, z), dimensions={0}, to_apply=r\n" \
  " n = f32[] reduce(x, z), dimensions={0}, to_apply=s\n ROOT t = (f32[], f32[]) tuple(m, n) }"
  for (int same = 0; same < 2; same++) {
    Sources *s = sources_new();
    Diags *d = diags_new(s);
    const char *text = same ? ARG("u, v") : ARG("v, u");
    Graph *g = hlo_read(d, sources_add(s, "t", text, strlen(text)), &HLO_OPTIONS);
    const Node *m = &g->nodes.at[g->outputs.at[0].node], *n = &g->nodes.at[g->outputs.at[1].node];
    Sym one = node_attr_sym(m, sym("region"), 0), two = node_attr_sym(n, sym("region"), 0);
    if (!one || (one == two) != same) failures++, fprintf(stderr, "regions: %d\n", same);
    graph_free(g);
    diags_free(d);
    sources_free(s);
  }
}

static void calls(void) {
  READS("f { x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n s = f32[4] subtract(x, y)\n"
        " ROOT t = (f32[4], f32[4]) tuple(s, x) }\n"
        "ENTRY e { a = f32[4] parameter(0)\n b = f32[4] parameter(1)\n c = (f32[4], f32[4]) call(b, a), to_apply=f\n"
        " ROOT d = f32[4] multiply(c#0, c#1) }",
        "0 f32[4] parameter()\n1 f32[4] parameter()\n2 f32[4] subtract(1,0)\n3 f32[4] multiply(2,1)\nout 3\n");
  /* three ways to write an asynchronous all-gather */
#define AG "0 f32[4] parameter()\n1 f32[8] all_gather(0) replica_groups=2:0,1 dimensions=0\nout 1\n"
#define IDS "replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true, dimensions={0}"
  READS("HloModule m, num_partitions=2\nENTRY e { p = f32[4] parameter(0)\n"
        " s = (f32[4], f32[8]) all-gather-start(p), " IDS "\n ROOT d = f32[8] all-gather-done(s) }", AG);
  READS("HloModule m, num_partitions=2\nw { q = f32[4] parameter(0)\n ROOT g = f32[8] all-gather(q), " IDS " }\n"
        "ENTRY e { p = f32[4] parameter(0)\n s = ((f32[4]), f32[8], u32[]) async-start(p), calls=w\n"
        " u = ((f32[4]), f32[8], u32[]) async-update(s)\n ROOT d = f32[8] async-done(u) }", AG);
  READS("HloModule m, num_partitions=2\nENTRY e { p = f32[4] parameter(0)\n"
        " s = ((f32[4]), f32[8]) all-gather-start(p), " IDS "\n u = ((f32[4]), f32[8]) all-gather-update(s)\n"
        " ROOT d = f32[8] all-gather-done(u) }", AG);
  READS("HloModule m, num_partitions=2\nENTRY e { p = f32[4] parameter(0)\n c = (f32[4], f32[4], u32[]) copy-start(p)\n"
        " q = f32[4] copy-done(c)\n ROOT g = f32[8] all-gather(q), " IDS " }", AG);
  READS("HloModule m, num_partitions=2\nENTRY e { p = f32[4] parameter(0)\n q = f32[4] parameter(1)\n"
        " g = (f32[8], f32[8]) all-gather(p, q), " IDS "\n ROOT x = f32[8] get-tuple-element(g), index=1 }",
        "0 f32[4] parameter()\n1 f32[4] parameter()\n2 f32[8] all_gather(1) replica_groups=2:0,1 dimensions=0\n"
        "out 2\n");
  READS("ENTRY e { x = f32[4] parameter(0)\n y = f32[4] custom-call(x), custom_call_target=\"Sharding\", "
        "sharding={replicated}\n"
        " ROOT z = f32[4] custom-call(y), custom_call_target=\"mine\", backend_config=\"{eps: 1}\" }",
        "0 f32[4] parameter()\n1 f32[4] custom_call(0) backend_config=\"{eps: 1}\" custom_call_target=mine\nout 1\n");
}

static void loops(void) {
#define LOOP(limit, step) \
  "cond { t = (s32[], f32[3,4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n" \
  " n = s32[] constant(" limit ")\n" \
  " ROOT c = pred[] compare(i, n), direction=LT }\n" \
  "body { t = (s32[], f32[3,4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n" \
  " w = f32[3,4] get-tuple-element(t), index=1\n x = f32[4] get-tuple-element(t), index=2\n o = s32[] constant(1)\n" \
  " z = s32[] constant(0)\n g = pred[] compare(i, z), direction=LT\n h = s32[] add(i, o)\n" \
  " k = s32[] select(g, h, i)\n" \
  " d = f32[1,4] dynamic-slice(w, k, z), dynamic_slice_sizes={1,4}\n r = f32[4] reshape(d)\n" \
  " m = f32[4] multiply(x, r)\n" \
  " j = s32[] " step "(i, o)\n ROOT u = (s32[], f32[3,4], f32[4]) tuple(j, w, m) }\n" \
  "ENTRY e { w = f32[3,4] parameter(0)\n x = f32[4] parameter(1)\n z = s32[] constant(0)\n" \
  " t = (s32[], f32[3,4], f32[4]) tuple(z, w, x)\n l = (s32[], f32[3,4], f32[4]) while(t), condition=cond, " \
  "body=body\n" \
  " ROOT r = f32[4] get-tuple-element(l), index=2 }"
  READS(LOOP("2", "add"),
        "0 f32[3,4] parameter()\n1 f32[4] parameter()\n2 s32[] constant() all 0\n3 s32[] constant() all 0\n"
        "4 f32[1,4] dynamic_slice(0,2,3)\n5 f32[4] reshape(4)\n6 f32[4] multiply(1,5)\n7 s32[] constant() all 1\n"
        "8 s32[] constant() all 0\n9 f32[1,4] dynamic_slice(0,7,8)\n10 f32[4] reshape(9)\n"
        "11 f32[4] multiply(6,10)\nout 11\n");
  READS(LOOP("0", "add"), "0 f32[3,4] parameter()\n1 f32[4] parameter()\nout 1\n");
  REFUSES(LOOP("2000", "add"), "E0003", 23);
  REFUSES(LOOP("2", "multiply"), "E0003", 23); /* never ends */
  HloOptions few = HLO_OPTIONS;
  few.max_nodes = 10;
  refused(__LINE__, LOOP("3", "add"), strlen(LOOP("3", "add")), &few, "E0003", 11);
}

static void bad_syntax(void) {
  REFUSES("", "E0401", 1);
  REFUSES("HloModule m\n", "E0401", 2);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n", "E0401", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0\n}", "E0401", 3);
  REFUSES("ENTRY e {\n p = f33[4] parameter(0)\n}", "E0401", 2);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0), sharding={{\n}", "E0401", 2);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0), metadata={op_name=\"x}\n}", "E0401", 2);
  REFUSES("\x7f\x45\x4c\x46\x01", "E0401", 1);
  REFUSES("ENTRY e {\n \xff = f32[] parameter(0)\n}", "E0005", 2);
  refused(__LINE__, "ENTRY\0e", 7, &HLO_OPTIONS, "E0005", 1);
  REFUSES("HloModule a\nHloModule b\n", "E0401", 2);
  REFUSES("ENTRY e { }", "E0401", 1);
  REFUSES("ENTRY e {\n ROOT c = f32[2] constant({1, x})\n}", "E0103", 2);
  REFUSES("ENTRY e {\n ROOT c = s8[] constant(128)\n}", "E0103", 2);
  REFUSES("ENTRY e {\n ROOT c = f32[] constant(1e39)\n}", "E0103", 2);
  REFUSES("ENTRY e {\n ROOT c = f32[2] constant({1, 2, 3})\n}", "E0404", 2);
  REFUSES("ENTRY e {\n ROOT c = f32[2,2] constant({1, 2, 3, 4})\n}", "E0404", 2);
  REFUSES("ENTRY e {\n ROOT c = f32[20] constant({...})\n}", "E0406", 2);
}

static void bad_names(void) {
  REFUSES("ENTRY e {\n ROOT a = f32[] negate(b)\n}", "E0402", 2);
  REFUSES("ENTRY e {\n a = f32[] negate(b)\n ROOT b = f32[] constant(1)\n}", "E0402", 2);
  REFUSES("ENTRY e {\n a = f32[] constant(1)\n ROOT a = f32[] constant(1)\n}", "E0402", 3);
  REFUSES("f { ROOT a = f32[] constant(1) }\nf { ROOT a = f32[] constant(1) }\nENTRY e { ROOT a = f32[] constant(1) }",
          "E0402", 2);
  REFUSES("ENTRY e { ROOT a = f32[] constant(1) }\nENTRY f { ROOT a = f32[] constant(1) }", "E0402", 2);
  REFUSES("ENTRY e {\n a = f32[] parameter(0)\n ROOT b = f32[] parameter(0)\n}", "E0402", 3);
  REFUSES("ENTRY e {\n ROOT a = f32[] parameter(1)\n}", "E0402", 2);
  REFUSES("f {\n ROOT a = f32[] call(), to_apply=f\n}", "E0403", 2);
  REFUSES("f {\n ROOT a = f32[] call(), to_apply=g\n}\ng {\n ROOT a = f32[] call(), to_apply=f\n}", "E0402", 2);
}

static void bad_shapes(void) {
  REFUSES("ENTRY e {\n p = f32[4294967296,4294967296] parameter(0)\n}", "E0405", 2);
  REFUSES("ENTRY e {\n p = f32[<=4] parameter(0)\n}", "E0408", 2);
  REFUSES("ENTRY e {\n p = f32[-1] parameter(0)\n}", "E0405", 2);
  REFUSES("ENTRY e {\n p = f32[99999999999999999999] parameter(0)\n}", "E0103", 2);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT a = f32[5] negate(p)\n}", "E0404", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT a = f32[4] add(p)\n}", "E0404", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT a = f32[2,3] reshape(p)\n}", "E0404", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT a = f32[4] negate(f32[5] p)\n}", "E0404", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT a = f32[4] get-tuple-element(p), index=0\n}", "E0404", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT t = (f32[4], f32[5]) tuple(p, p)\n}", "E0404", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT t = f32[4] negate(p#0)\n}", "E0404", 3);
  REFUSES("f { x = f32[5] parameter(0)\n ROOT y = f32[5] negate(x) }\nENTRY e {\n p = f32[4] parameter(0)\n"
          " ROOT c = f32[5] call(p), to_apply=f\n}", "E0404", 5);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT s = f32[4] slice(p)\n}", "E0407", 3);
  REFUSES("ENTRY e {\n p = f32[4] parameter(0)\n ROOT s = f32[4] negate(p), sharding={}, sharding={}\n}", "E0407", 3);
}

/* Nesting is bounded; what is only skipped may nest as it likes. */
/* Lines that end alike are read once; one that goes on below says more, and a wrong one is wrong every time. */
static void tails(void) {
  READS("HloModule m\nENTRY e {\n p = f32[2] parameter(0)\n a = f32[2,3]{1,0} broadcast(p), dimensions={0}\n"
        " b = f32[2,3]{1,0} broadcast(p), dimensions={0}\n"
        " c = f32[2,2]{1,0} concatenate(p, p),\n  dimensions={0}\n"
        " ROOT t = (f32[2,3], f32[2,3]) tuple(a, b)\n}\n",
        "0 f32[2] parameter()\n1 f32[2,3] broadcast(0) dimensions=0\n2 f32[2,3] broadcast(0) dimensions=0\n"
        "out 1 2\n");
  READS("HloModule m\nENTRY e {\n p = f32[2] parameter(0)\n a = f32[2,2]{1,0} broadcast(p), dimensions={0}\n"
        " ROOT b = f32[2,2]{1,0} broadcast(p), dimensions={0}\n , metadata={op_name=\"x\"}\n}\n",
        "0 f32[2] parameter()\n1 f32[2,2] broadcast(0) dimensions=0\nout 1\n");
  REFUSES("ENTRY e {\n p = f32[2] parameter(0)\n a = f32[2,2] broadcast(p), dimensions={0}\n"
          " b = f32[2,2] broadcast(p), dimensions={0}\n , dimensions={1}\n}", "E0407", 5);
}

static void deep(void) {
  enum { N = 100000 };
  static const struct { const char *head, *tail; char open; const char *code; } cases[] = {
      {"ENTRY e {\n p = ", "f32[] parameter(0)\n}", '(', "E0102"},
      {"ENTRY e {\n ROOT c = f32[2] constant(", ")\n}", '{', "E0404"},
      {"ENTRY e {\n ROOT p = f32[] parameter(0), sharding=", "\n}", '{', "E0401"},
      {"ENTRY e {\n ROOT p = f32[] negate(", ")\n}", '(', "E0102"},
      {"ENTRY e (", ") {\n}", '(', "E0401"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    size_t head = strlen(cases[k].head), tail = strlen(cases[k].tail), n = head + N + tail;
    char *text = xmalloc(n);
    memcpy(text, cases[k].head, head);
    memset(text + head, cases[k].open, N);
    memcpy(text + head + N, cases[k].tail, tail);
    refused(__LINE__ + (int)k, text, n, &HLO_OPTIONS, cases[k].code, *cases[k].head == 'E' && k == 4 ? 1 : 2);
    free(text);
  }
  /* a chain of calls */
  Out o = {0};
  put(&o, "f0 { ROOT x = f32[] parameter(0) }\n");
  for (int k = 1; k < 3000; k++)
    put(&o, "f%d { p = f32[] parameter(0)\n ROOT x = f32[] call(p), to_apply=f%d }\n", k, k - 1);
  refused(__LINE__, o.at, o.len, &HLO_OPTIONS, "E0102", 1003);
  free(o.at);
  /* calls that double at every level */
  o = (Out){0};
  put(&o, "f0 { p = f32[] parameter(0)\n ROOT x = f32[] negate(p) }\n");
  for (int k = 1; k < 60; k++)
    put(&o, "f%d { p = f32[] parameter(0)\n q = f32[] call(p), to_apply=f%d\n ROOT x = f32[] call(q), to_apply=f%d }\n",
        k, k - 1, k - 1);
  refused(__LINE__, o.at, o.len, &HLO_OPTIONS, "E0003", 10);
  free(o.at);
}

static void places(void) {
  const char *text =
      "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
      "1 {file_name_id=1 function_name_id=1 line=6 end_line=6 column=1 end_column=2}\n"
      "2 {file_name_id=2 function_name_id=1 line=9}\n\n"
      "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n"
      "ENTRY e {\n p = f32[] parameter(0), metadata={op_name=\"args[\\'w\\']\"}\n"
      " n = f32[] negate(p), metadata={op_name=\"neg\" stack_frame_id=2}\n"
      " ROOT a = f32[] abs(n), metadata={op_type=\"abs\" op_name=\"abs\" source_file=\"c.py\" source_line=3}\n}\n";
  Sources *s = sources_new();
  Diags *d = diags_new(s);
  Graph *g = hlo_read(d, sources_add(s, "t", text, strlen(text)), &HLO_OPTIONS);
  const Frames *f = g ? &g->frames.at[g->nodes.at[1].frames] : NULL;
  bool ok = g && f->n == 2 && !strcmp(sym_text(f->at[0]), "b.py:9") && !strcmp(sym_text(f->at[1]), "a.py:6") &&
            !strcmp(sym_text(node_at(g, 2)), "c.py:3") && !strcmp(sym_text(g->nodes.at[0].label), "args['w']") &&
            g->nodes.at[1].line == 20 && node_at(g, 0) == 0;
  if (!ok) failures++, fprintf(stderr, "places are wrong\n"), diags_print(d, stderr, false);
  graph_free(g);
  diags_free(d);
  sources_free(s);
}

int main(void) {
  spellings();
  tuples();
  literals();
  groups();
  device_numbers();
  operators();
  regions();
  calls();
  loops();
  bad_syntax();
  bad_names();
  bad_shapes();
  tails();
  deep();
  places();
  return failures > 0;
}
