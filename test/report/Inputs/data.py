"""data.py -- the data of the report that comes in, as text."""
import base64
import gzip
import re
import sys

page = sys.stdin.read()
packed = re.search(r'type="application/octet-stream;base64">\s*([A-Za-z0-9+/=\s]+)', page)
sys.stdout.write(gzip.decompress(base64.b64decode(packed[1])).decode())
