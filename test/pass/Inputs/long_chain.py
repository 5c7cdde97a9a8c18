# Prints a chain of functions, callers before callees. The last one allocates.
import sys

count = int(sys.argv[1])
print("declare ptr @malloc(i64)")
for i in range(count + 1):
    linkage = "internal " if i > 0 else ""
    callee = f"g{i + 1}" if i < count else "malloc"
    print(f"define {linkage}ptr @g{i}(i64 %x) {{\n"
          f"  %p = call ptr @{callee}(i64 %x)\n  ret ptr %p\n}}")
