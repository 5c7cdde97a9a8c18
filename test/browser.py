"""browser.py -- loads pages that report their end in a headless Chromium.

This process serves the pages, and the last action of a page is to send its results
back: nothing waits for a fixed time.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import http.server
import json
import os
import pathlib
import queue
import subprocess
import threading

# A browser that says nothing for so long says nothing at all.
SILENT_SECONDS = 900
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript",
         ".css": "text/css", ".json": "application/json"}
# Sends what is given, which must have a form in JSON.
REPORT = """
function report(found) {
  return fetch("/report", {method: "POST", body: JSON.stringify(found)});
}
window.addEventListener("error", e => report({error: String(e.message)}));
window.addEventListener("unhandledrejection",
                        e => report({error: String(e.reason)}));
"""


def handler(files, folders, reports):
    class Handler(http.server.BaseHTTPRequestHandler):
        def find(self):
            name = self.path.partition("?")[0].lstrip("/")
            if name in files:
                return files[name]
            for folder in folders:
                path = pathlib.Path(folder, name)
                if path.is_file():
                    return path.read_bytes()
            return None

        def answer(self, status, body, kind):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            body = self.find()
            kind = TYPES.get(pathlib.Path(self.path.partition("?")[0]).suffix,
                             "application/octet-stream")
            self.answer(404 if body is None else 200, body or b"", kind)

        def do_POST(self):
            size = int(self.headers["Content-Length"])
            reports.put(json.loads(self.rfile.read(size)))
            self.answer(200, b"", "text/plain")

        def log_message(self, *_):
            pass

    return Handler


def wait(reports, process):
    for _ in range(SILENT_SECONDS):
        try:
            return reports.get(timeout=1)
        except queue.Empty:
            if process.poll() is not None:
                raise SystemExit("the browser ended without a word") from None
    raise SystemExit("the browser is silent")


def visit(page, files, folders=()):
    """What the page calls report() with. files: bytes by name; what is not one of
    them is looked for in the folders. `page` may have a part behind '#'."""
    files = dict(files, **{"report.js": REPORT.encode()})
    reports = queue.Queue()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), handler(files, folders, reports))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = ["node", pathlib.Path(__file__).with_suffix(".mjs"),
               os.environ["TEST_NPM_PACKAGES"],
               f"http://127.0.0.1:{server.server_port}/{page}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        try:
            return wait(reports, process)
        finally:
            process.stdin.close()
            server.shutdown()
