#!/usr/bin/env python3
"""odd-symbols.py -- a data access profile, as JSON, of symbols with characters that
YAML takes for its own.

usage: odd-symbols.py > PROFILE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json

NAMES = ["a: b", "a #b", "a:", "- a", "null", "0x1f", "it's", '"', "\\", " a ", "a\nb",
         "'\n'", "gr\u00fcn", "\u0085\u00a0\u2028\u2029\ufeff", "\U0001f600\ue000"]
# All of ASCII before, between and after, but for 1, which is between names in LLVM's
# files.
NAMES += [f"{chr(c)}x{chr(c)}y{chr(c)}" for c in range(0x80) if c != 1]

print(json.dumps({
    "MemprofProfile": 1,
    "DataAccessProfiles": {"SampledRecords": [{"Symbol": name, "AccessCount": i + 1}
                                      for i, name in enumerate(NAMES)]}}))
