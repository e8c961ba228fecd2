"""A headless Chromium that is spoken to over the WebDriver protocol (https://www.w3.org/TR/webdriver2/), with nothing
but Python's standard library. It reaches this machine only, keeps nothing, and is gone when it is closed."""
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# A browser that leaves a command without an answer for so many seconds has come to a stand; the driver's own limits, which
# are in `capabilities`, are shorter.
SILENCE = 60


class BrowserError(Exception):
    """The browser or its driver refuses; `kind` is the error of the protocol."""

    def __init__(self, kind, message):
        super().__init__("%s: %s" % (kind, message.split("\n")[0]))
        self.kind = kind


class Browser:
    """One browser with a profile of its own, till a time of `time.monotonic()`. To be used with `with`."""

    def __init__(self, pins, deadline, switches=()):
        self.deadline = deadline
        self.home = tempfile.mkdtemp(prefix="browser.")
        self.driver = None
        self.session = None
        try:
            self.port = self.start_driver()
            answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": self.capabilities(pins, switches)}})
            self.session = "/session/" + answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def start_driver(self):
        # Neither the profile nor the settings of the person who runs the tests have a part in this.
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": self.home, "TMPDIR": self.home}
        log = os.path.join(self.home, "driver.log")
        with open(log, "wb") as output:
            self.driver = subprocess.Popen(
                ["chromedriver", "--port=0", "--allowed-ips=127.0.0.1"], env=environment, cwd=self.home,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        while self.driver.poll() is None and time.monotonic() < self.deadline:
            with open(log, "r", encoding="utf-8", errors="replace") as text:
                started = re.search(r"started successfully on port (\d+)", text.read())
            if started:
                return int(started[1])
            time.sleep(0.02)
        raise BrowserError("no driver", "chromedriver does not start")

    def capabilities(self, pins, switches):
        arguments = [
            "--headless=new", "--user-data-dir=" + os.path.join(self.home, "profile"), "--no-first-run",
            "--no-proxy-server", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-gpu", "--disable-dev-shm-usage",
            # Only this machine has an address.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE [::1], EXCLUDE localhost",
        ]
        if os.geteuid() == 0:
            # Its sandbox cannot be set up by root.
            arguments.append("--no-sandbox")
        if pins:
            # Certificates with these keys are taken; all others are checked as ever.
            arguments.append("--ignore-certificate-errors-spki-list=" + ",".join(pins))
        if any(switch.startswith("--proxy-server=") for switch in switches):
            arguments.remove("--no-proxy-server")
        # Of two of one name, the last one counts.
        arguments += switches
        # A page that never ends loading must not keep the driver from looking at it.
        return {"browserName": "chrome", "acceptInsecureCerts": False, "pageLoadStrategy": "eager",
                "timeouts": {"pageLoad": 20000, "script": 5000}, "goog:chromeOptions": {"args": arguments}}

    def ask(self, method, path, body=None):
        """One command of the protocol, and its value."""
        remaining = self.deadline - time.monotonic()
        if remaining <= 0:
            raise BrowserError("deadline", "there is no time left")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=min(remaining, SILENCE))
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json; charset=utf-8"})
            value = json.loads(connection.getresponse().read())["value"]
        except TimeoutError:
            raise BrowserError("silence", "the browser does not answer %s %s" % (method, path)) from None
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value:
            raise BrowserError(value["error"], value.get("message", ""))
        return value

    # The commands, which are about the page that is shown.

    def open(self, url):
        try:
            self.ask("POST", self.session + "/url", {"url": url})
        except BrowserError as error:
            # A page that takes long is looked at while it loads.
            if error.kind != "timeout":
                raise

    def load_again(self):
        self.ask("POST", self.session + "/refresh", {})

    def history(self):
        """The addresses that this browser was at. An address that could not be loaded is the last of them."""
        answer = self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": "Page.getNavigationHistory", "params": {}})
        return [entry["url"] for entry in answer["entries"]]

    def title(self):
        return self.ask("GET", self.session + "/title")

    def source(self):
        return self.ask("GET", self.session + "/source")

    def run(self, script, *arguments):
        """The value of a script of the driver's, which the page's own rules do not bind."""
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        """The elements that match a CSS selector and that a person can see."""
        found = self.ask("POST", self.session + "/elements", {"using": "css selector", "value": selector})
        elements = [value[ELEMENT] for value in found]
        return [each for each in elements if self.ask("GET", "%s/element/%s/displayed" % (self.session, each))]

    def click(self, element):
        self.ask("POST", "%s/element/%s/click" % (self.session, element), {})

    def fill(self, element, text):
        self.ask("POST", "%s/element/%s/clear" % (self.session, element), {})
        self.ask("POST", "%s/element/%s/value" % (self.session, element), {"text": text})

    def picture(self):
        return self.ask("GET", self.session + "/screenshot")

    def close(self):
        """Ends the browser and its driver, and takes the profile away."""
        self.deadline = time.monotonic() + 10
        try:
            if self.session:
                self.ask("DELETE", self.session)
        except (OSError, ValueError, BrowserError):
            pass
        if self.driver:
            try:
                # The driver's group is ours alone, and the browser is in it.
                os.killpg(self.driver.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.driver.wait()
        shutil.rmtree(self.home, ignore_errors=True)
