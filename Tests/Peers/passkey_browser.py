"""Adds a passkey and signs in with it, with the real `kith` and the real Chromium, whose authenticator is virtual.

    .build/peers/bin/python Tests/Peers/passkey_browser.py path/to/kith http://127.0.0.1:8480 folder

Prints one JSON object: what each step has come to.
"""
import json
import os
import subprocess
import sys
import threading

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 240


class Waiting:
    """A command that prints the address of a page, and waits until the page was used."""

    def __init__(self, kith, server, data, *words):
        environment = {**os.environ, "KITH_SERVER": server, "KITH_DATA": data}
        self.process = subprocess.Popen(
            [kith, "session", "passkey", *words, "--json", "--timeout", str(PATIENCE)], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.page = line.strip().split(" ")[-1]
        # Nothing is read again that could fill the pipe, except by this thread.
        self.complaints = []
        threading.Thread(target=lambda: self.complaints.extend(self.process.stderr), daemon=True).start()

    def answer(self):
        output, _ = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode != 0:
            raise SystemExit("".join(self.complaints))
        return json.loads(output)


class Browser:
    def __init__(self, folder):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        # Root has no sandbox, and a container has little shared memory.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         f"--user-data-dir={folder}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.execute_cdp_cmd("WebAuthn.enable", {})
        self.authenticator = self.driver.execute_cdp_cmd("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
        }})["authenticatorId"]

    def verify(self, is_verified):
        self.driver.execute_cdp_cmd("WebAuthn.setUserVerified", {
            "authenticatorId": self.authenticator, "isUserVerified": is_verified})

    def credentials(self):
        return self.driver.execute_cdp_cmd("WebAuthn.getCredentials", {
            "authenticatorId": self.authenticator})["credentials"]

    def open(self, page):
        """Opens a page in a document of its own, because a fragment alone loads nothing."""
        self.driver.get("about:blank")
        self.driver.get(page)

    def shown(self, *names):
        """Waits until one of the elements is shown, and returns its name."""
        def first(driver):
            return next((name for name in names if driver.find_element(By.ID, name).is_displayed()), None)
        return WebDriverWait(self.driver, PATIENCE).until(first)

    def use(self, page, section):
        """Opens a page and presses its button; returns “done” or “failed”."""
        self.open(page)
        if self.shown(section, "failed") == "failed":
            return "failed"
        self.driver.find_element(By.CSS_SELECTOR, f"#{section} button").click()

        def outcome(driver):
            status = driver.find_element(By.ID, "status")
            if status.text == status.get_attribute(f"data-{section}"):
                return "done"
            return "failed" if driver.find_element(By.ID, "failed").is_displayed() else None
        return WebDriverWait(self.driver, PATIENCE).until(outcome)

    def text(self, name):
        return self.driver.find_element(By.ID, name).text

    def requested(self):
        """The addresses that the browser has requested, the referrers that it has sent, and the detail of the last
        problem with which the server has answered."""
        addresses, referrers, problem = [], [], None
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                request = message["params"]["request"]
                addresses.append(request["url"])
                referrers.append(request["headers"].get("Referer", ""))
            elif message["method"] == "Network.responseReceived":
                if message["params"]["response"]["mimeType"] == "application/problem+json":
                    problem = message["params"]["requestId"]
        answer = self.driver.execute_cdp_cmd("Network.getResponseBody", {"requestId": problem})
        return addresses, referrers, json.loads(answer["body"])["detail"]

    def faults(self):
        """What the browser complains about, such as breaches of the content security policy. Refusals are expected."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]


def main():
    kith, server, folder = sys.argv[1:]
    phone, tablet = os.path.join(folder, "phone"), os.path.join(folder, "tablet")
    browser = Browser(os.path.join(folder, "browser"))
    result = {}
    try:
        adding = Waiting(kith, server, phone, "add", "--name", "Chromium")
        # A device that does not check its user is of no use. A second try of the same page is.
        browser.verify(False)
        result["unverified"] = browser.use(adding.page, "adding")
        browser.verify(True)
        result["adding"] = browser.use(adding.page, "adding")
        result["fragment"] = browser.driver.execute_script("return location.hash")
        result["added"] = adding.answer()["passkey"]
        result["used ticket"] = browser.use(adding.page, "adding")
        result["credentials"] = [
            {"isResidentCredential": each["isResidentCredential"], "rpId": each["rpId"],
             "userHandle": each["userHandle"]} for each in browser.credentials()]

        login = Waiting(kith, server, tablet, "login", "--device", "Tablet", "--keep")
        browser.open(login.page)
        browser.shown("signing-in", "failed")
        result["name"] = browser.text("named")
        result["signing in"] = browser.use(login.page, "signing-in")
        result["signed in"] = login.answer()

        # A copied authenticator: its counter begins again.
        copy = browser.credentials()[0]
        browser.driver.execute_cdp_cmd("WebAuthn.removeCredential", {
            "authenticatorId": browser.authenticator, "credentialId": copy["credentialId"]})
        browser.driver.execute_cdp_cmd("WebAuthn.addCredential", {
            "authenticatorId": browser.authenticator, "credential": {**copy, "signCount": 0}})
        third = Waiting(kith, server, os.path.join(folder, "third"), "login")
        result["copied"] = browser.use(third.page, "signing-in")
        result["reason"] = browser.text("failed")
        third.process.terminate()

        addresses, referrers, result["detail"] = browser.requested()
        result["tickets in requests"] = [
            each for each in addresses if not each.startswith("chrome") and adding.page.split("#")[1] in each.split("#")[0]]
        result["other addresses"] = sorted({
            each.split("#")[0] for each in addresses if not each.startswith((server.replace("127.0.0.1", "localhost"), "about:", "chrome", "data:"))})
        result["referrers"] = sorted(set(referrers) - {""})
        result["faults"] = browser.faults()
    finally:
        browser.driver.quit()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
