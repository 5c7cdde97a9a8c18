"""browser.py -- loads pages that report their end in a headless Chromium.

This process serves the pages, and the last action of a page is to send its results
back: nothing waits for a fixed time.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import http.server
import json
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
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
    # Whoever ends us ends the browser.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chromium = shutil.which("chromium")
    assert chromium, "no chromium: make deps installs it"
    files = dict(files, **{"report.js": REPORT.encode()})
    reports = queue.Queue()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), handler(files, folders, reports))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        url = f"http://127.0.0.1:{server.server_port}/{page}"
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu",
                   "--enable-unsafe-swiftshader", "--disable-dev-shm-usage",
                   "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--lang=en-US",
                   "--window-size=1400,1000", f"--user-data-dir={home}",
                   "--remote-debugging-port=0"]
        process = subprocess.Popen(command + [url], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            return wait(reports, process)
        finally:
            process.terminate()
            process.wait()
            server.shutdown()
