egg limit_partial.egg --max-rows=300; $TVR egg limit_partial.egg --max-iterations=2 2>/dev/null; echo exit $?; $TVR egg limit_partial.egg
