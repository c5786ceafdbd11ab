module {
sdy.mesh @mesh = <["x"=2, "y"=2], {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={""}x ardings=[<@meor<8x4xf32>
}
}nsor<8x4xf32>
}
}
