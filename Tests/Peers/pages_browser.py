"""Accepts the link of a list in Debian's Chromium, without JavaScript, as a person does, and opens share links.

usage: pages_browser.py LINK OUTBOX EMAIL SHARES [SHOTS]

It opens LINK, asks for a code for EMAIL, reads the code in the folder OUTBOX, and accepts the link. Then it opens the share
links SHARES, which commas separate. SHOTS is a folder for pictures of each page: on a phone and on a desktop, light and
dark. Each page is also checked by axe-core, in a second browser that runs scripts. Prints one JSON object: the headings of
the pages, what axe-core has found, the requests to other servers, and the messages of the console.
"""

import base64
import json
import pathlib
import re
import sys
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

LOOKS = [("phone-light", 390, 844, "light"), ("phone-dark", 390, 844, "dark"),
         ("desktop-light", 1280, 900, "light"), ("desktop-dark", 1280, 900, "dark")]


def browser(scripts):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--lang=en-US"]:
        options.add_argument(flag)
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_page_load_timeout(60)
    return driver


def code(outbox):
    """The code in the newest message, which may still be on its way."""
    for _ in range(600):
        for file in sorted(pathlib.Path(outbox).glob("*.eml"), reverse=True):
            found = re.search(r"^ +(\d{6})\r?$", file.read_text(), re.MULTILINE)
            if found:
                return found.group(1)
        time.sleep(0.1)
    raise SystemExit("No code has arrived.")


class Story:
    def __init__(self, link, outbox, email, shares, shots):
        self.link, self.outbox, self.email, self.shots = link, outbox, email, shots
        self.shares = shares.split(",")
        self.site = urllib.parse.urlsplit(link)[:2]
        self.person, self.checker = browser(scripts=False), browser(scripts=True)
        self.headings, self.violations, self.wide = [], [], []
        self.axe = next(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/axe_playwright_python/axe.min.js"))

    def see(self, name):
        """Notes a page, takes pictures of it, and checks it."""
        self.headings.append(self.person.find_element(By.TAG_NAME, "h1").text)
        for look, width, height, scheme in LOOKS:
            self.person.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": look.startswith("phone")})
            self.person.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            size = self.person.execute_cdp_cmd("Page.getLayoutMetrics", {})
            if size["cssContentSize"]["width"] > width:
                self.wide.append(f"{name} {look}")
            if self.shots:
                picture = self.person.execute_cdp_cmd("Page.captureScreenshot", {
                    "captureBeyondViewport": True,
                    "clip": {"x": 0, "y": 0, "width": width, "height": max(height, size["cssContentSize"]["height"]),
                             "scale": 1}})
                (pathlib.Path(self.shots) / f"{name}-{look}.png").write_bytes(base64.b64decode(picture["data"]))
        self.check(name)

    def check(self, name):
        """Gives the same document to axe-core. Its stylesheet comes from the server."""
        source = self.person.page_source
        self.checker.get(self.link)
        tree = self.checker.execute_cdp_cmd("Page.getFrameTree", {})
        self.checker.execute_cdp_cmd(
            "Page.setDocumentContent", {"frameId": tree["frameTree"]["frame"]["id"], "html": source})
        for scheme in ["light", "dark"]:
            self.checker.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.checker.execute_script(self.axe.read_text())
            found = self.checker.execute_async_script(
                "const done = arguments[0];"
                "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']})"
                ".then(done, error => done({violations: [{id: String(error), nodes: []}], passes: []}))")
            self.violations += [
                f"{name} {scheme}: {item['id']} {[node['html'] for node in item['nodes']]}"
                for item in found["violations"]]
            if "color-contrast" not in [item["id"] for item in found["passes"]]:
                self.violations.append(f"{name} {scheme}: the contrast was not checked")

    def foreign(self):
        """The requests of the person's browser to other servers."""
        urls = []
        for entry in self.person.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return [url for url in urls if urllib.parse.urlsplit(url)[:2] != self.site and not url.startswith("data:")]

    def press(self, selector):
        """Sends a form, and waits for the next page."""
        page = self.person.find_element(By.TAG_NAME, "html")
        self.person.find_element(By.CSS_SELECTOR, selector).click()
        wait = WebDriverWait(self.person, 60)
        wait.until(expected_conditions.staleness_of(page))
        wait.until(expected_conditions.presence_of_element_located((By.TAG_NAME, "h1")))

    def tell(self):
        person = self.person
        person.get("data:text/html,<title>off</title><script>document.title='on'</script>")
        scripts = person.title
        person.get(self.link)
        app = person.find_element(By.CSS_SELECTOR, "a.button").get_attribute("href")
        self.see("invitation")
        # Longer than RFC 5321 permits before the @, which the browser does not check.
        person.find_element(By.ID, "email").send_keys("b" * 65 + "@example.com")
        self.press("button[type=submit]")
        self.see("wrong-email")
        person.find_element(By.ID, "email").clear()
        person.find_element(By.ID, "email").send_keys(self.email)
        self.press("button[type=submit]")
        self.see("code")
        right = code(self.outbox)
        person.find_element(By.ID, "code").send_keys("000000" if right != "000000" else "000001")
        self.press("button[type=submit]")
        self.see("wrong-code")
        person.find_element(By.ID, "code").send_keys(right)
        self.press("button[type=submit]")
        self.see("joined")
        person.get(self.link[:-1])
        self.see("unknown")
        for number, share in enumerate(self.shares, 1):
            person.get(share)
            self.see(f"share-{number}")
        cookies = person.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
        logs = [entry["message"] for entry in person.get_log("browser")
                # The console names each answer with an error status.
                if "the server responded with a status of" not in entry["message"]]
        return {
            "scripts": scripts, "app": app, "headings": self.headings, "violations": self.violations,
            "wide": self.wide, "foreign": self.foreign(), "cookies": cookies, "console": logs}

    def end(self):
        self.person.quit()
        self.checker.quit()


story = Story(*sys.argv[1:5], sys.argv[5] if len(sys.argv) > 5 else None)
try:
    print(json.dumps(story.tell()))
finally:
    story.end()
