check empty-output.hlo empty-output-twin.hlo | head -1
