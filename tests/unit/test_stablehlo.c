/* StableHLO text: pretty and generic forms, Shardy, every kind of bad input. */
#include "frontends/stablehlo/stablehlo.h"

#define READ stablehlo_read
#define ReaderOptions StablehloOptions
#define READER_DEFAULTS STABLEHLO_OPTIONS
#include "tests/unit/reader.h"

#define MAIN(params, results, body) \
  "module @m {\n  func.func public @main(" params ") -> (" results ") {\n" body "  }\n}\n"

static void spellings(void) {
  const char *want = "0 f32[2,3] parameter()\n1 f32[2,3] parameter()\n2 f32[2,3] add(0,1)\n3 f32[2,3] tanh(2)\nout 3\n";
  READS(MAIN("%a: tensor<2x3xf32>, %b: tensor<2x3xf32> {mhlo.sharding = \"{replicated}\"} loc(\"b\")",
      "tensor<2x3xf32> {jax.result_info = \"r\"}",
             "    %0 = stablehlo.add %a, %b : tensor<2x3xf32> loc(#loc1)\n    %1 = stablehlo.tanh %0 "
             "{result_accuracy = #x<a>} : tensor<2x3xf32>\n"
             "    return %1 : tensor<2x3xf32>\n"), want);
  /* the generic form throughout, operands' types spelled out, comments */
  READS("\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
        "  \"func.func\"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name "
        "= \"main\"}> ({\n"
        "  ^bb0(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>): // two\n"
        "    %0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "    %1 = \"stablehlo.tanh\"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "    \"func.return\"(%1) : (tensor<2x3xf32>) -> ()\n  }) : () -> ()\n"
        "}) {mhlo.num_partitions = 1 : i32} : () -> ()\n", want);
  READS("func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "%s = stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "%t:1 = stablehlo.tanh %s : tensor<2x3xf32>\nfunc.return %t#0 : tensor<2x3xf32>\n}", want);
}

static void constants(void) {
  READS(MAIN("", "tensor<2x2xf32>", "%c = stablehlo.constant dense<[[1.0, -2.5e-1], [0x7F800000, 0.1]]> : "
      "tensor<2x2xf32>\n"
             "return %c : tensor<2x2xf32>\n"),
        "0 f32[2,2] constant() : 1 -1/4 inf 13421773/134217728\nout 0\n");
  REFUSES(MAIN("", "tensor<4xi1>", "%a = stablehlo.constant dense<\"0x01\"> : tensor<4xi1>\nreturn %a : tensor<4xi1>\n"),
          "E0408", 3);
  READS(MAIN("", "tensor<4xi1>", "%a = stablehlo.constant dense<\"0xFF\"> : tensor<4xi1>\nreturn %a : tensor<4xi1>\n"),
        "0 pred[4] constant() all 1\nout 0\n");
  READS(MAIN("", "tensor<3xi32>, tensor<i1>, tensor<2xbf16>, tensor<0x4xf32>, tensor<10xi1>",
             "%a = stablehlo.constant dense<\"0x0100000002000000FFFFFFFF\"> : tensor<3xi32>\n"
             "%b = stablehlo.constant dense<true> : tensor<i1>\n"
             "%c = \"stablehlo.constant\"() <{value = dense<1.5> : tensor<2xbf16>}> : () -> tensor<2xbf16>\n"
             "%d = stablehlo.constant dense<> : tensor<0x4xf32>\n"
             "%e = stablehlo.constant dense<\"0x0302\"> : tensor<10xi1>\n"
             "return %a, %b, %c, %d, %e : tensor<3xi32>, tensor<i1>, tensor<2xbf16>, tensor<0x4xf32>, tensor<10xi1>\n"),
        "0 s32[3] constant() : 1 2 -1\n1 pred[] constant() all 1\n2 bf16[2] constant() all 3/2\n3 f32[0,4] "
        "constant() :\n"
        "4 pred[10] constant() : 1 1 0 0 0 0 0 0 0 1\nout 0 1 2 3 4\n");
  REFUSES(MAIN("", "tensor<3xf32>", "%c = stablehlo.constant dense_resource<__elided__> : tensor<3xf32>\nreturn %c "
      ": tensor<3xf32>\n"), "E0406", 3);
  REFUSES(MAIN("", "tensor<3xf32>", "%c = stablehlo.constant dense<[1.0, ...]> : tensor<3xf32>\nreturn %c : "
      "tensor<3xf32>\n"), "E0406", 3);
  REFUSES(MAIN("", "tensor<3xf32>", "%c = stablehlo.constant dense<\"...\"> : tensor<3xf32>\nreturn %c : "
      "tensor<3xf32>\n"), "E0406", 3);
  REFUSES(MAIN("", "tensor<3xf32>", "%c = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>\nreturn %c : "
      "tensor<3xf32>\n"), "E0404", 3);
  REFUSES(MAIN("", "tensor<3xi8>", "%c = stablehlo.constant dense<300> : tensor<3xi8>\nreturn %c : "
      "tensor<3xi8>\n"), "E0103", 3);
}

static void shapes(void) {
  READS(MAIN("%x: tensor<1x4xf32>, %z: tensor<f32>", "tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>",
             "%0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>\n"
             "%1 = stablehlo.pad %x, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x4xf32>, "
             "tensor<f32>) -> tensor<2x4xf32>\n"
             "%2 = stablehlo.slice %x [0:1, 0:4:2] : (tensor<1x4xf32>) -> tensor<1x2xf32>\n"
             "return %0, %1, %2 : tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>\n"),
        "0 f32[1,4] parameter()\n1 f32[] parameter()\n2 f32[4] reshape(0)\n3 f32[3,4] broadcast(2) dimensions=1\n"
        "4 f32[2,4] pad(0,1) low=1,0 high=0,0 interior=0,0\n5 f32[1,2] slice(0) starts=0,0 limits=1,4 strides=1,"
        "2\nout 3 4 5\n");
  READS(MAIN("%x: tensor<2x4xf32>, %y: tensor<4x3xf32>, %i: tensor<i32>", "tensor<2x3xf32>, tensor<4x2xf32>, "
      "tensor<1x4xf32>",
             "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : "
             "(tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>\n"
             "%1 = \"stablehlo.transpose\"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x4xf32>) -> "
             "tensor<4x2xf32>\n"
             "%2 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<2x4xf32>, tensor<i32>, "
             "tensor<i32>) -> tensor<1x4xf32>\n"
             "return %0, %1, %2 : tensor<2x3xf32>, tensor<4x2xf32>, tensor<1x4xf32>\n"),
        "0 f32[2,4] parameter()\n1 f32[4,3] parameter()\n2 s32[] parameter()\n"
        "3 f32[2,3] dot(0,1) lhs_batch_dims= rhs_batch_dims= lhs_contracting_dims=1 rhs_contracting_dims=0\n"
        "4 f32[4,2] transpose(0) dimensions=1,0\n5 f32[1,4] dynamic_slice(0,2,2)\nout 3 4 5\n");
  READS(MAIN("%x: tensor<8x4xf32>, %i: tensor<5xi32>", "tensor<5x4xf32>",
             "%0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
             "collapsed_slice_dims = [0], "
             "start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1,"
             " 4>}> : "
             "(tensor<8x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>\nreturn %0 : tensor<5x4xf32>\n"),
        "0 f32[8,4] parameter()\n1 s32[5] parameter()\n2 s32[5,1] reshape(1)\n"
        "3 f32[5,4] gather(0,2) offset_dims=1 collapsed_slice_dims=0 operand_batching_dims= component=0 batch= "
        "index_vector_dim=1\nout 3\n");
}

static void regions(void) {
  const char *want = "0 f32[2,3] parameter()\n1 f32[] constant() all 0\n2 f32[2] reduce(0,1) dimensions=1 "
      "reducer=add\nout 2\n";
  READS(MAIN("%x: tensor<2x3xf32>", "tensor<2xf32>", "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
             "%0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, "
             "tensor<f32>) -> tensor<2xf32>\n"
             "return %0 : tensor<2xf32>\n"), want);
  READS(MAIN("%x: tensor<2x3xf32>", "tensor<2xf32>", "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
             "%0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> "
             "tensor<2xf32>\n"
             " reducer(%a: tensor<f32> loc(\"a\"), %b: tensor<f32>) {\n  %s = stablehlo.add %b, %a : tensor<f32>\n "
             " stablehlo.return %s : tensor<f32>\n }\n"
             "return %0 : tensor<2xf32>\n"), want);
  READS(MAIN("%x: tensor<2x3xf32>", "tensor<2xf32>", "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
             "%0 = \"stablehlo.reduce\"(%x, %z) <{dimensions = array<i64: 1>}> ({\n ^bb0(%a: tensor<f32>, %b: "
             "tensor<f32>):\n"
             "  %s = \"stablehlo.add\"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
             "  \"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
             "return %0 : tensor<2xf32>\n"), want);
  /* a name may be used again in another region, not within one; regions do not see what they are not in */
  REFUSES(MAIN("%x: tensor<f32>", "tensor<f32>", "%y = stablehlo.negate %x : tensor<f32>\n%y = stablehlo.abs %x : "
      "tensor<f32>\nreturn %y : tensor<f32>\n"),
          "E0402", 4);
  REFUSES(MAIN("%x: tensor<2x3xf32>, %z: tensor<f32>", "tensor<2xf32>",
               "%0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> "
               "tensor<2xf32>\n"
               " reducer(%a: tensor<f32>, %b: tensor<f32>) {\n  %s = stablehlo.add %a, %z : tensor<f32>\n  "
               "stablehlo.return %s : tensor<f32>\n }\n"
               "return %0 : tensor<2xf32>\n"), "E0408", 3);
}

static void calls(void) {
  READS("module {\n func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0:2 = call @g(%a) : (tensor<f32>) -> "
      "(tensor<f32>, tensor<f32>)\n"
        "  %1 = func.call @h(%0#1) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n }\n"
        " func.func private @g(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {\n  %0 = stablehlo.negate %a : "
        "tensor<f32>\n  return %a, %0 : tensor<f32>, tensor<f32>\n }\n"
        " func.func private @h(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.abs %x : tensor<f32>\n  return "
        "%0 : tensor<f32>\n }\n}\n",
        "0 f32[] parameter()\n1 f32[] negate(0)\n2 f32[] abs(1)\nout 2\n");
  REFUSES("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n %0 = call @main(%a) : (tensor<f32>) -> "
      "tensor<f32>\n return %0 : tensor<f32>\n}\n", "E0102", 2);
  REFUSES("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n %0 = call @no(%a) : (tensor<f32>) -> tensor<f32>\n "
      "return %0 : tensor<f32>\n}\n", "E0402", 2);
  READS("func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {\n"
        " %0:2 = stablehlo.optimization_barrier %b, %a : tensor<f32>, tensor<f32>\n"
        " %1 = stablehlo.custom_call @Sharding(%0#0) {backend_config = \"\", mhlo.sharding = \"{replicated}\"} : "
        "(tensor<f32>) -> tensor<f32>\n"
        " %2 = stablehlo.custom_call @f(%1) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>\n"
        " return %1, %2 : tensor<f32>, tensor<f32>\n}\n",
        "0 f32[] parameter()\n1 f32[] parameter()\n2 f32[] custom_call(1) custom_call_target=f\n"
        "out 1 2\n");
}

static void loops(void) {
  READS(MAIN("%x: tensor<f32>", "tensor<f32>, tensor<i32>", "%c = stablehlo.constant dense<0> : tensor<i32>\n"
             "%n = stablehlo.constant dense<2> : tensor<i32>\n"
             "%0:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<f32>\n cond {\n"
             "  %t = stablehlo.compare  LT, %i, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  "
             "stablehlo.return %t : tensor<i1>\n } do {\n"
             "  %one = stablehlo.constant dense<1> : tensor<i32>\n  %s = stablehlo.add %i, %one : tensor<i32>\n"
             "  %w = stablehlo.tanh %v : tensor<f32>\n  stablehlo.return %s, %w : tensor<i32>, tensor<f32>\n }\n"
             "return %0#1, %0#0 : tensor<f32>, tensor<i32>\n"),
        "0 f32[] parameter()\n1 f32[] tanh(0)\n2 s32[] constant() all 2\n3 f32[] tanh(1)\nout 3 2\n");
  REFUSES(MAIN("%x: tensor<i32>", "tensor<i32>", "%c = stablehlo.constant dense<0> : tensor<i32>\n"
               "%0 = stablehlo.while(%i = %c) : tensor<i32>\n cond {\n  %t = stablehlo.constant dense<true> : "
               "tensor<i1>\n"
               "  stablehlo.return %t : tensor<i1>\n } do {\n  stablehlo.return %i : tensor<i32>\n }\nreturn %0 : "
               "tensor<i32>\n"), "E0003", 4);
  READS(MAIN("%x: tensor<i32>", "tensor<i32>", "%0 = \"stablehlo.case\"(%x) ({\n  %a = stablehlo.constant dense<7> "
      ": tensor<i32>\n"
             "  stablehlo.return %a : tensor<i32>\n}, {\n  stablehlo.return %x : tensor<i32>\n}) : (tensor<i32>) "
             "-> tensor<i32>\nreturn %0 : tensor<i32>\n"),
        "0 s32[] parameter()\n1 s32[] constant() all 0\n2 pred[] compare(0,1) direction=EQ\n"
        "3 s32[] constant() all 7\n4 s32[] select(2,3,0)\nout 4\n");
}

#define GROUPS "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = "

static void collectives(void) {
  const char *sum = "({\n ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  %s = stablehlo.add %a, %b : tensor<f32>\n  "
      "stablehlo.return %s : tensor<f32>\n })";
  char text[4096];
  static const char *const spellings[] = {
      "dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>",
      "dense<\"0x0000000000000000020000000000000001000000000000000300000000000000\"> : tensor<2x2xi64>",
      ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, "
       "#stablehlo.mesh_axis<name = \"y\", size = 2>]>, axes = [#stablehlo.axis_ref<name = \"x\">]>"),
      "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>",
      "dense<> : tensor<0x0xi64>",
  };
  for (int k = 0; k < 5; k++) {
    snprintf(text, sizeof text, "module attributes {mhlo.num_partitions = 4 : i32} {\n"
             "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
             "func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
             "%%0 = \"stablehlo.all_reduce\"(%%x) <{" GROUPS "%s, use_global_device_ids}> %s : (tensor<4xf32>) -> "
             "tensor<4xf32>\nreturn %%0 : tensor<4xf32>\n}\n}\n",
             spellings[k], sum);
    READS(text, k == 4 ? "0 f32[4] parameter()\n1 f32[4] all_reduce(0) replica_groups=4:0,1,2,3 reducer=add\nout 1\n"
                       : "0 f32[4] parameter()\n1 f32[4] all_reduce(0) replica_groups=2:0,2,1,3 reducer=add\nout 1\n");
  }
  READS(MAIN("%x: tensor<4x6xf32>", "tensor<8x3xf32>", "%0 = \"stablehlo.all_to_all\"(%x) <{" GROUPS "dense<[[0, "
      "1]]> : tensor<1x2xi64>, "
             "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64}> : (tensor<4x6xf32>) "
             "-> tensor<8x3xf32>\nreturn %0 : tensor<8x3xf32>\n"),
        "0 f32[4,6] parameter()\n1 f32[4,2,3] reshape(0)\n2 f32[2,4,3] transpose(1) dimensions=1,0,2\n"
        "3 f32[2,4,3] all_to_all(2) replica_groups=2:0,1 dimensions=0\n4 f32[8,3] reshape(3)\nout 4\n");
  READS(MAIN("%x: tensor<4xf32>", "tensor<4xf32>", "%0 = \"stablehlo.collective_permute\"(%x) <{channel_handle = "
      "#stablehlo.channel_handle<handle = 1, type = 1>, "
             "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> "
             "tensor<4xf32>\nreturn %0 : tensor<4xf32>\n"),
        "0 f32[4] parameter()\n1 f32[4] collective_permute(0) source_target_pairs=0,1,1,0\nout 1\n");
  REFUSES(MAIN("%x: tensor<4xf32>", "tensor<8xf32>", "%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64,"
      " " GROUPS
               "dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> "
               "tensor<8xf32>\nreturn %0 : tensor<8xf32>\n"), "E0408", 3);
  REFUSES(MAIN("%x: tensor<4xf32>", "tensor<8xf32>", "%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64,"
      " " GROUPS
               "dense<[[0, 0]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> "
               "tensor<8xf32>\nreturn %0 : tensor<8xf32>\n"), "E0409", 3);
}

#define MESH "module {\nsdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
#define MANUAL(in, out, axes, block) \
  "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [" in "]>] out_shardings=[<@mesh, [" out \
  "]>] manual_axes={" axes "} (%b: tensor<" block ">) {\n  %1 = stablehlo.negate %b : tensor<" block \
  ">\n  sdy.return %1 : tensor<" block ">\n} : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"

static void manual(void) {
  const char *want = "0 f32[4,2] parameter()\n1 f32[4,2] negate(0)\nout 1\n";
  READS(MESH "func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\", ?}]>}) -> "
      "tensor<8x4xf32> {\n"
        MANUAL("{\"x\"}, {\"y\"}", "{\"x\"}, {\"y\"}", "\"x\", \"y\"", "4x2xf32") "return %0 : "
            "tensor<8x4xf32>\n}\n}\n", want);
  /* through a function and an annotation */
  READS(MESH "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n%0 = call @f(%a) : (tensor<8x4xf32>) -> "
      "tensor<8x4xf32>\nreturn %0 : tensor<8x4xf32>\n}\n"
        "func.func private @f(%c: tensor<8x4xf32>) -> tensor<8x4xf32> {\n%a = sdy.sharding_constraint %c <@mesh, "
        "[{}, {}]> : tensor<8x4xf32>\n"
        MANUAL("{\"x\"}, {\"y\"}", "{\"x\"}, {\"y\"}", "\"x\", \"y\"", "4x2xf32") "return %0 : "
            "tensor<8x4xf32>\n}\n}\n", want);
  /* y is not manual: each device does all of it */
  READS(MESH "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
        MANUAL("{\"x\"}, {?}", "{\"x\"}, {?}", "\"x\"", "4x4xf32") "return %0 : tensor<8x4xf32>\n}\n}\n",
        "0 f32[4,4] parameter()\n1 f32[4,4] negate(0)\nout 1\n");
  REFUSES(MESH "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
          MANUAL("{\"x\"}, {}", "{\"x\"}, {}", "\"x\", \"y\"", "4x2xf32") "return %0 : tensor<8x4xf32>\n}\n}\n",
              "E0404", 4);
  /* one within another: blocks along y meet where x agrees, whatever the numbers of the devices there */
#define WITHIN(ids) \
  "module {\nsdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=" ids ">\nfunc.func @main(%a: tensor<8x4xf32>) -> " \
  "tensor<8x4xf32> {\n%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}, {}]>] out_shardings=[<@mesh, " \
  "[{\"x\"}, {}]>] manual_axes={\"x\"} (%b: tensor<4x4xf32>) {\n%1 = sdy.manual_computation(%b) in_shardings=[<@mesh, " \
  "[{}, {\"y\"}]>] out_shardings=[<@mesh, [{}, {\"y\"}]>] manual_axes={\"y\"} (%c: tensor<4x2xf32>) {\n" \
  "%2 = stablehlo.negate %c : tensor<4x2xf32>\nsdy.return %2 : tensor<4x2xf32>\n} : (tensor<4x4xf32>) -> " \
  "tensor<4x4xf32>\n%3 = stablehlo.abs %1 : tensor<4x4xf32>\nsdy.return %3 : tensor<4x4xf32>\n} : (tensor<8x4xf32>) -> " \
  "tensor<8x4xf32>\nreturn %0 : tensor<8x4xf32>\n}\n}\n"
  READS(WITHIN("[3, 1, 0, 2]"), "0 f32[4,4] parameter()\n1 s32[] constant() all 0\n2 s32[4] constant() : 0 2 2 0\n"
        "3 u32[] partition_id()\n4 s32[1] dynamic_slice(2,3)\n5 s32[] reshape(4)\n6 f32[4,2] dynamic_slice(0,1,5)\n"
        "7 f32[4,2] negate(6)\n8 f32[4,4] all_gather(7) replica_groups=2:3,1,0,2 dimensions=1\n9 f32[4,4] abs(8)\nout 9\n");
  REFUSES(WITHIN("[3, 1, 0, 1]"), "E0503", 2);
  REFUSES(WITHIN("[3, 1, 0, 4]"), "E0503", 2);
  REFUSES(WITHIN("[3, 1, 0, -2]"), "E0503", 2);
  /* outside, whole tensors */
  READS(MESH "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
        MANUAL("{}, {\"y\", \"x\"}", "{}, {\"y\", \"x\"}", "\"x\", \"y\"", "8x1xf32")
        "%2 = stablehlo.abs %0 : tensor<8x4xf32>\n%3 = stablehlo.add %2, %0 : tensor<8x4xf32>\n"
        "return %3 : tensor<8x4xf32>\n}\n}\n",
        "0 f32[8,1] parameter()\n1 f32[8,1] negate(0)\n2 f32[8,4] all_gather(1) replica_groups=4:0,2,1,3 dimensions=1\n"
        "3 f32[8,4] abs(2)\n4 f32[8,4] add(3,2)\nout 4\n");
  /* the annotation of a parameter is another than the computation's, or that of the result */
  READS(MESH "func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
      "(tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\":(1)2}]>}) {\n"
        MANUAL("{\"y\"}, {}", "{\"y\"}, {}", "\"y\"", "4x4xf32") "return %0 : tensor<8x4xf32>\n}\n}\n",
        "0 f32[4,4] parameter()\n1 f32[8,4] all_gather(0) replica_groups=2:0,2,1,3 dimensions=0\n"
        "2 s32[4] constant() : 0 4 0 4\n3 u32[] partition_id()\n4 s32[1] dynamic_slice(2,3)\n5 s32[] reshape(4)\n"
        "6 s32[] constant() all 0\n7 f32[4,4] dynamic_slice(1,5,6)\n8 f32[4,4] negate(7)\n"
        "9 f32[8,4] all_gather(8) replica_groups=2:0,1,2,3 dimensions=0\n10 s32[] constant() all 0\n"
        "11 s32[4] constant() : 0 2 0 2\n12 u32[] partition_id()\n13 s32[1] dynamic_slice(11,12)\n"
        "14 s32[] reshape(13)\n15 f32[8,2] dynamic_slice(9,10,14)\nout 15\n");
  /* without a manual computation too */
  READS(MESH "func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
      "(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, "
      "tensor<f32>) -> tensor<8xf32>\nreturn %0 : tensor<8xf32>\n}\n}\n",
        "0 f32[4,4] parameter()\n1 f32[] constant() all 0\n2 f32[8,4] all_gather(0) replica_groups=2:0,2,1,3 "
        "dimensions=0\n3 f32[8] reduce(2,1) dimensions=1 reducer=add\nout 3\n");
  /* the same in the form of GSPMD: devices by number, a program that is no region */
#define SHARDED(call, of, as, from, to) \
  "stablehlo.custom_call @" call "(" of ") {mhlo.sharding = \"" as "\"} : (tensor<" from ">) -> tensor<" to ">\n"
#define TILED(as, block) \
  "module {\nfunc.func @main(%a: tensor<8x4xf32> {mhlo.sharding = \"{devices=[4,1]<=[2,2]T(1,0)}\"}) -> (tensor<8x4xf32> " \
  "{mhlo.sharding = \"{devices=[4,1]0,2,1,3}\"}) {\n%0 = " SHARDED("Sharding", "%a", as, "8x4xf32", "8x4xf32") \
  "%1 = " SHARDED("SPMDFullToShardShape", "%0", "{manual}", "8x4xf32", block) \
  "%2 = stablehlo.negate %1 : tensor<" block ">\n%3 = " SHARDED("Sharding", "%2", "{manual}", block, block) \
  "%4 = " SHARDED("SPMDShardToFullShape", "%3", as, block, "8x4xf32") "return %4 : tensor<8x4xf32>\n}\n}\n"
  READS(TILED("{devices=[4,1]<=[2,2]T(1,0)}", "2x4xf32"), "0 f32[2,4] parameter()\n1 f32[2,4] negate(0)\nout 1\n");
  READS(TILED("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", "4x4xf32"),
        "0 f32[2,4] parameter()\n1 f32[8,4] all_gather(0) replica_groups=4:0,2,1,3 dimensions=0\n"
        "2 s32[4] constant() : 0 0 4 4\n3 u32[] partition_id()\n4 s32[1] dynamic_slice(2,3)\n5 s32[] reshape(4)\n"
        "6 s32[] constant() all 0\n7 f32[4,4] dynamic_slice(1,5,6)\n8 f32[4,4] negate(7)\n"
        "9 f32[8,4] all_gather(8) replica_groups=2:0,2,1,3 dimensions=0\n10 s32[4] constant() : 0 4 2 6\n"
        "11 u32[] partition_id()\n12 s32[1] dynamic_slice(10,11)\n13 s32[] reshape(12)\n14 s32[] constant() all 0\n"
        "15 f32[2,4] dynamic_slice(9,13,14)\nout 15\n");
  REFUSES(TILED("{devices=[2,1]<=[2]}", "4x4xf32"), "E0503", 4);
  REFUSES(TILED("{devices=[4,1]<=[2,2]T(1,1)}", "2x4xf32"), "E0404", 4);
  REFUSES(TILED("{devices=[4,1]0,1,1,3}", "2x4xf32"), "E0404", 4);
  REFUSES(TILED("{devices=[4,1]<=[5]}", "2x4xf32"), "E0404", 4);
  /* the same without a call: whole tensors, unless operators between devices say that the partitioner was there */
#define ANNOTATED(n, ops) \
  "module attributes {mhlo.num_partitions = " n " : i32} {\nfunc.func @main(%a: tensor<8x4xf32> {mhlo.sharding = " \
  "\"{devices=[4,1]<=[4]}\"}) -> (tensor<8x4xf32> {mhlo.sharding = \"{devices=[4,1]<=[4]}\"}) {\n" ops "}\n}\n"
#define NEGATED "%0 = stablehlo.negate %a : tensor<8x4xf32>\n"
  READS(ANNOTATED("1", NEGATED "return %0 : tensor<8x4xf32>\n"), "0 f32[8,4] parameter()\n1 f32[8,4] negate(0)\nout 1\n");
  READS(ANNOTATED("4", "%0 = stablehlo.reverse %a, dims = [0] : tensor<8x4xf32>\nreturn %0 : tensor<8x4xf32>\n"),
        "0 f32[2,4] parameter()\n1 f32[8,4] all_gather(0) replica_groups=4:0,1,2,3 dimensions=0\n"
        "2 f32[8,4] reverse(1) dimensions=0\n3 s32[4] constant() : 0 2 4 6\n4 u32[] partition_id()\n"
        "5 s32[1] dynamic_slice(3,4)\n6 s32[] reshape(5)\n7 s32[] constant() all 0\n8 f32[2,4] dynamic_slice(2,6,7)\n"
        "out 8\n");
  READS(ANNOTATED("4", NEGATED "%1 = stablehlo.partition_id : tensor<ui32>\nreturn %0 : tensor<8x4xf32>\n"),
        "0 f32[8,4] parameter()\n1 f32[8,4] negate(0)\nout 1\n");
  REFUSES(ANNOTATED("2", NEGATED "return %0 : tensor<8x4xf32>\n"), "E0503", 3);
  /* devices stand in manual computations only; what is no part of an axis */
  REFUSES(MESH "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
          MANUAL("{\"x\"}, {\"y\"}", "{\"x\"}, {\"y\"}", "\"x\", \"y\"", "4x2xf32")
          "%2 = stablehlo.partition_id : tensor<ui32>\nreturn %0 : tensor<8x4xf32>\n}\n}\n", "E0408", 8);
  REFUSES(MESH "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
          MANUAL("{\"x\":(2)2}, {}", "{\"x\"}, {}", "\"x\"", "4x4xf32") "return %0 : tensor<8x4xf32>\n}\n}\n", "E0404", 4);
}

static void places(void) {
  const char *text =
      "#loc1 = loc(\"p['w']\")\nmodule {\nfunc.func @main(%a: tensor<f32> loc(\"p['w']\")) -> tensor<f32> {\n"
      "%0 = stablehlo.negate %a : tensor<f32> loc(#loc5)\n%1 = stablehlo.abs %0 : tensor<f32> "
      "loc(fused<\"m\">[unknown, \"abs\"(\"c.py\":3:1)])\n"
      "%2 = stablehlo.tanh %1 : tensor<f32> loc(#loc9)\nreturn %2 : tensor<f32> loc(#loc)\n} loc(#loc)\n} loc(#loc)\n"
      "#loc = loc(unknown)\n#loc2 = loc(\"b.py\":9:8 to :54)\n#loc3 = loc(\"f\"(#loc2))\n#loc4 = "
      "loc(callsite(#loc3 at \"a.py\":6:1))\n"
      "#loc5 = loc(\"jit(f)/neg\"(#loc4))\n#loc9 = loc(callsite(#loc9 at #loc9))\n";
  Sources *s = sources_new();
  Diags *d = diags_new(s);
  Graph *g = stablehlo_read(d, sources_add(s, "t", text, strlen(text)), &STABLEHLO_OPTIONS);
  const Frames *f = g ? &g->frames.at[g->nodes.at[1].frames] : NULL;
  bool ok = g && f->n == 2 && !strcmp(sym_text(f->at[0]), "b.py:9") && !strcmp(sym_text(f->at[1]), "a.py:6") &&
            !strcmp(sym_text(g->nodes.at[1].label), "jit(f)/neg") && !strcmp(sym_text(node_at(g, 2)), "c.py:3") &&
            !strcmp(sym_text(g->nodes.at[0].label), "p['w']") && g->nodes.at[1].line == 4 && node_at(g, 3) == 0;
  if (!ok) failures++, fprintf(stderr, "places are wrong\n"), diags_print(d, stderr, false);
  graph_free(g);
  diags_free(d);
  sources_free(s);
}

static void bad(void) {
  REFUSES("module {\nfunc.func @main(%a: tensor<f32>) -> tensor<f32> {\n%0 = stablehlo.negate %b : "
      "tensor<f32>\nreturn %0 : tensor<f32>\n}\n}\n", "E0402", 3);
  REFUSES("module {\nfunc.func @main(%a: tensor<?xf32>) -> tensor<f32> {\nreturn %a : tensor<f32>\n}\n}\n", "E0408", 2);
  REFUSES("module {\nfunc.func @main(%a: tensor<f32>) -> tensor<f32> {\n%0 = stablehlo.negate %a : "
      "tensor<f32\nreturn %0 : tensor<f32>\n}\n}\n", "E0401", 4);
  REFUSES("module {\nfunc.func @main(%a: tensor<f32>) -> tensor<f32> {\n%0 = stablehlo.negate %a : tensor<f32>\n",
      "E0401", 4);
  REFUSES("module {\nfunc.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\n%0 = stablehlo.negate %a : "
      "(tensor<2xf32>) -> tensor<3xf32>\nreturn %0 : tensor<3xf32>\n}\n}\n", "E0404", 3);
  REFUSES("module {\nfunc.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\n%0 = stablehlo.negate %a : "
      "(tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}\n}\n", "E0404", 3);
  REFUSES("module {\nfunc.func @main(%a: tuple<tensor<2xf32>>) -> tensor<3xf32> {\n}\n}\n", "E0408", 2);
  REFUSES("module {\n}\n", "E0402", 1);
  REFUSES("module {\nfunc.func @main(%a: tensor<9223372036854775807x9xf32>) -> tensor<f32> {\n}\n}\n", "E0405", 2);
}

/* Nesting of any kind, far too deep. */
static void deep(void) {
  enum { N = 100000 };
  static const char *const open[] = {"%0 = \"stablehlo.case\"(%a) ({\n", "%0 = stablehlo.f %a {x = [", "\"x\"(",
      "%0 = f %a loc(callsite("};
  for (int k = 0; k < 4; k++) {
    Out o = {0};
    put(&o, "func.func @main(%%a: tensor<i32>) -> tensor<i32> {\n");
    for (int i = 0; i < N; i++) put(&o, "%s", k == 1 && i ? "[" : k == 3 && i ? "callsite(" : open[k]);
    Sources *s = sources_new();
    Diags *d = diags_new(s);
    Graph *g = stablehlo_read(d, sources_add(s, "t", o.at, o.len), &STABLEHLO_OPTIONS);
    if (g || !diag_errors(d)) failures++, fprintf(stderr, "deep nesting %d is read\n", k);
    graph_free(g);
    diags_free(d);
    sources_free(s);
    free(o.at);
  }
}

int main(void) {
  spellings();
  constants();
  shapes();
  regions();
  calls();
  loops();
  collectives();
  manual();
  places();
  bad();
  deep();
  return failures > 0;
}
