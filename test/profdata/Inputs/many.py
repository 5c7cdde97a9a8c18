"""many.py -- C++ sources that allocate at many places, inlined and not.

usage: many.py DIRECTORY UNITS PLACES

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

directory, units, places = (pathlib.Path(sys.argv[1]), int(sys.argv[2]),
                            int(sys.argv[3]))
for unit in range(units):
    text = "".join(
        f"static inline char *inner{i}() {{ return new char[{i} + 1]; }}\n"
        f"__attribute__((noinline)) char *outer_{unit}_{i}()\n"
        f"{{ return inner{i}(); }}\n" for i in range(places))
    text += f"void unit_{unit}()\n{{\n"
    text += "".join(f"    delete[] outer_{unit}_{i}();\n"
                    for i in range(places)) + "}\n"
    (directory / f"unit{unit}.cpp").write_text(text)
main = "".join(f"void unit_{unit}();\n" for unit in range(units))
main += "int main()\n{\n"
main += "".join(f"    unit_{unit}();\n" for unit in range(units)) + "}\n"
(directory / "main.cpp").write_text(main)
