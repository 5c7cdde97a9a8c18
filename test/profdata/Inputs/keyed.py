"""keyed.py KEYFILE KIND NAME -- the name that memprofdata merge --hash-names writes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import hashlib
import hmac
import pathlib
import sys

key, kind, name = pathlib.Path(sys.argv[1]).read_bytes(), sys.argv[2], sys.argv[3]
text = int(name, 16).to_bytes(8, "little") if kind == "f" else name.encode()
print(f"{kind}_{hmac.new(key, kind.encode() + text, hashlib.sha256).hexdigest()[:20]}")
