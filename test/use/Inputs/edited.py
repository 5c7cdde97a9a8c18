"""edited.py FILE -- contexts.c after somebody worked on it: lines and calls came in
front and between, a function lost a call, one is new.
"""
import sys

text = open(sys.argv[1]).read()
# Everything moves, but counted from the functions' first lines nothing does.
text = text.replace("#include <stdio.h>", "#include <assert.h>\n\n#include <stdio.h>")
# In the function: a line, and another call, of another function.
text = text.replace("    long *block = malloc(112);",
                    "    assert(sum >= 0);\n    puts(\"\");\n    long *block = malloc(112);")
# An allocation in front of one that was known, and one behind it.
text = text.replace("long *only_cold(void) { return malloc(100); }",
                    "long *only_cold(void)\n{\n    long *p = malloc(100);\n    return p;\n}")
# A call that is gone; a function that the profile does not know.
text = text.replace("        cold_labels()[0] = i;\n", "")
text = text.replace("int main(void)", "NOINLINE long *fresh(void) { return malloc(8); }\n"
                    "int main(void)")
text = text.replace("        only_cold()[0] = i;\n", "        only_cold()[0] = i;\n        fresh()[0] = i;\n")
sys.stdout.write(text)
