"""Debian's Chromium with a profile of its own, seen as a person sees it."""

import base64
import json
import pathlib
import tempfile
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from service import PATIENCE

LANGUAGES = ["en", "de", "fr", "es"]


class Window:
    """A browser. Without `scripts` no script of a page runs."""

    def __init__(self, scripts=True, language="en"):
        self.scripts, self.folder = scripts, tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.saved = pathlib.Path(self.folder.name) / "downloads"
        self.saved.mkdir()
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        # Root has no sandbox, and a container has little shared memory. A network that is not there needs no waiting.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                         "--disable-background-networking", "--lang=en-US", f"--user-data-dir={self.folder.name}/profile"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {
            "download.default_directory": str(self.saved), "download.prompt_for_download": False})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Driver("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        # The server does not count a browser without a window as a visitor.
        self.agent = self.driver.execute_script("return navigator.userAgent").replace("Headless", "")
        self.speak(language)
        self.allow_scripts(scripts)
        self.documents, self.requests = [], []

    def close(self):
        self.driver.quit()
        self.folder.cleanup()

    def order(self, command, /, **parameters):
        """A command of the Chrome DevTools Protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def speak(self, language):
        self.order("Emulation.setUserAgentOverride", userAgent=self.agent, acceptLanguage=language)

    def allow_scripts(self, allowed):
        self.order("Emulation.setScriptExecutionDisabled", value=not allowed)

    # MARK: Going somewhere

    def open(self, address):
        # A fragment alone would load nothing.
        self.driver.get("about:blank")
        self.driver.get(address)

    def press(self, selector, number=0):
        """Presses something that leads to another page, and waits for that page."""
        old = self.driver.find_element(By.TAG_NAME, "html")
        self.all(selector)[number].click()
        self.wait(lambda: self.is_gone(old) and self.find("h1"), f"a page after {selector}")

    @staticmethod
    def is_gone(element):
        try:
            element.is_enabled()
            return False
        except StaleElementReferenceException:
            return True
        except WebDriverException as error:
            # While the page changes, Chromium may say the same in these words.
            if "does not belong to the document" not in str(error):
                raise
            return True

    def fill(self, selector, text):
        field = self.find(selector)
        field.clear()
        field.send_keys(text)

    def wait(self, question, what):
        """Asks until the answer is true. A script may replace an element while it is read; then the question is asked again."""
        patient = WebDriverWait(self.driver, PATIENCE, ignored_exceptions=[StaleElementReferenceException])
        return patient.until(lambda _: question(), f"not {what}")

    # MARK: Reading

    def all(self, selector):
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        if not found:
            raise AssertionError(f"{self.path} has no {selector}. It says: {self.text[:600]}")
        return found

    def find(self, selector):
        return self.all(selector)[0]

    def has(self, selector):
        return bool(self.driver.find_elements(By.CSS_SELECTOR, selector))

    @property
    def heading(self):
        return self.find("h1").text

    @property
    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    @property
    def path(self):
        return urllib.parse.urlsplit(self.driver.current_url).path

    @property
    def language(self):
        return self.find("html").get_attribute("lang")

    @property
    def cookies(self):
        return self.order("Network.getAllCookies")["cookies"]

    def downloads(self):
        """The files that the browser has saved completely."""
        return [file for file in self.saved.iterdir() if file.suffix in (".json", ".csv", ".svg")]

    # MARK: What it has exchanged

    def listen(self):
        """Reads what the browser has logged about its requests since the last call."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"])
            elif message["method"] == "Network.responseReceived" and message["params"]["type"] == "Document":
                self.documents.append(message["params"]["response"])

    def complaints(self):
        """What the browser complains about, such as breaches of the policy; not that an answer has an error status."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if "the server responded with a status of" not in entry["message"]]

    # MARK: How it looks

    def look(self, width, height, scheme):
        self.order("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                   mobile=width < 600)
        self.order("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return self.order("Page.getLayoutMetrics")["cssContentSize"]

    def picture(self, width, height):
        shot = self.order("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        return base64.b64decode(shot["data"])

    def run(self, script, *values):
        """Runs a script of the tests, also where pages run none."""
        self.allow_scripts(True)
        try:
            return self.driver.execute_async_script(script, *values)
        finally:
            self.allow_scripts(self.scripts)

    # MARK: Waiting

    def hold(self, pattern):
        """Holds requests to these addresses back until `release` is called, as a slow server does."""
        self.order("Fetch.enable", patterns=[{"urlPattern": pattern}])

    def release(self):
        self.order("Fetch.disable")

    # MARK: Passkeys

    def add_authenticator(self):
        """Adds a device with passkeys, which agrees to everything."""
        self.order("WebAuthn.enable")
        self.order("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True})
