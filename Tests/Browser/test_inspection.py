"""The checks of pages find what is wrong with a page."""

import http.server
import threading
import types
import unittest

from case import free_port
from gallery import Gallery
from inspection import exchange, headers, inspect
from window import Window

GOOD = ("default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'")
PAGE = """<!DOCTYPE html><html><title>Page</title><main><h1>Page</h1><script>document.title = "on"</script>
<p style="color: #aaa; background: #fff; inline-size: 90rem">Grey</p><input>
<img alt="" src="http://127.0.0.1:%d/elsewhere"></main>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        page = (PAGE % self.server.server_port).encode()
        self.send_response(200)
        for name, value in [("Content-Type", "text/html"), ("Content-Length", str(len(page))),
                            ("Set-Cookie", "seen=1"), ("Content-Security-Policy", self.server.policy)]:
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


class InspectionTests(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.service = types.SimpleNamespace(address=f"http://localhost:{self.server.server_port}")

    def faults(self, policy, scripts=True):
        self.server.policy = policy
        window = Window(scripts)
        self.addCleanup(window.close)
        window.open(f"{self.service.address}/?who=ada@example.com")
        self.title = window.driver.title
        faults = inspect(window, Gallery(None), "page") + exchange(window, self.service)
        return "\n".join(faults)

    def test_a_page_without_a_policy_has_many_faults(self):
        found = self.faults("")
        for fault in ("html-has-lang", "color-contrast", "label", "pixels wide", "default-src is None", "x-content-type-options is None",
                      "another server", "where it comes from", "an email in an address", "a cookie"):
            self.assertIn(fault, found)
        self.assertEqual("on", self.title)

    def test_what_the_policy_of_a_page_forbids_is_found_in_the_console(self):
        self.assertIn("the console: ", self.faults(GOOD))
        self.assertEqual("Page", self.title)

    def test_without_scripts_no_script_of_a_page_runs(self):
        self.faults("", scripts=False)
        self.assertEqual("Page", self.title)

    def test_each_weak_policy_is_found(self):
        rest = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
                "Cross-Origin-Opener-Policy": "same-origin", "Content-Language": "en"}
        self.assertEqual([], headers({"Content-Security-Policy": GOOD, **rest}))
        for weak in (GOOD.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
                     GOOD.replace("img-src 'self'", "img-src https:"), GOOD.replace("default-src 'none'", "default-src 'self'"),
                     GOOD.replace("base-uri 'none';", ""), GOOD.replace("frame-ancestors 'none'", ""),
                     GOOD.replace("form-action 'self'", "form-action *")):
            self.assertTrue(headers({"Content-Security-Policy": weak, **rest}), weak)
        for name in rest:
            self.assertTrue(headers({"Content-Security-Policy": GOOD, **rest, name: ""}), name)
