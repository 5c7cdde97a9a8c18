"""debuginfod.py -- run a command with a debuginfod server of its own.

usage: debuginfod.py FILES LOG COMMAND...

Serves FILES/ID.debuginfo and FILES/ID.executable on a port that is free, writes
the requested paths to LOG, and ends with the command's status.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import http.server
import os
import pathlib
import re
import subprocess
import sys
import threading

files, log = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
asked = []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        wanted = re.fullmatch(r"/buildid/([0-9a-f]+)/(debuginfo|executable)",
                              self.path)
        path = files / "{}.{}".format(*wanted.groups()) if wanted else files
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = dict(os.environ, no_proxy="127.0.0.1",
                   DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}/")
status = subprocess.run(sys.argv[3:], env=environment).returncode
log.write_text("".join(path + "\n" for path in asked))
sys.exit(status)
