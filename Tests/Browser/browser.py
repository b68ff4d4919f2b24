"""Chromium, headless, as the tests drive it."""

import os
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

DESKTOP = (1440, 900)
PHONE = (390, 844)
# The timeout in seconds for what takes a moment on an idle machine.
PATIENCE = int(os.environ.get("BROWSER_PATIENCE", 180))


class Browser(webdriver.Chrome):
    @property
    def current_url(self):
        """The address as the page has it: Chromium's own, which the driver reads, can lag behind a step within the page."""
        return self.execute_script("return location.href")


def start(size=DESKTOP, dark=False, reduced_motion=False, traced=None, logs_network=False, without=()):
    """Starts a browser with an empty profile; callers quit it. `traced` are categories of Chromium's trace, and with
    `logs_network` the performance log has every request. `without` are features of Chromium to switch off."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--lang=en-GB", "--ignore-certificate-errors", f"--window-size={size[0]},{size[1]}"):
        options.add_argument(argument)
    if without:
        options.add_argument(f"--disable-features={','.join(without)}")
    if size == PHONE:
        metrics = {"width": size[0], "height": size[1], "pixelRatio": 2, "touch": True}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    logs = {"browser": "ALL"}
    if traced:
        logs["performance"] = "ALL"
        options.add_experimental_option("perfLoggingPrefs", {"traceCategories": traced, "enableNetwork": False, "enablePage": False})
    if logs_network:
        logs["performance"] = "ALL"
        options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
    options.set_capability("goog:loggingPrefs", logs)
    driver = Browser(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(PATIENCE)
    if size != PHONE:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
    features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    if reduced_motion:
        features.append({"name": "prefers-reduced-motion", "value": "reduce"})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    return driver


def until(condition, what, seconds=PATIENCE):
    """Polls until the condition holds; fails naming what did not happen."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
            if value:
                return value
        except Exception as error:  # An element that is being replaced is looked for again.
            if time.monotonic() > end:
                raise AssertionError(f"{what}: {error}") from error
        if time.monotonic() > end:
            raise AssertionError(f"did not come within {seconds} s: {what}")
        time.sleep(0.05)


def wait(driver, selector, seconds=PATIENCE):
    """The first visible element that matches a selector."""
    return until(lambda: next((one for one in driver.find_elements(By.CSS_SELECTOR, selector) if one.is_displayed()), None),
                 selector, seconds)


def use(driver, selector, deed):
    """Acts on the first element that matches a selector. The page may replace it at any moment, so this retries with the new
    one; no journey keeps an element for longer."""
    until(lambda: [deed(wait(driver, selector))], selector)


def settled(driver):
    """Waits until all animations have ended."""
    until(lambda: driver.execute_script("return document.getAnimations().every((one) => one.playState !== 'running')"), "an end of all motion")


def gone(driver, selector, seconds=PATIENCE):
    """Waits until a selector matches nothing."""
    return until(lambda: not driver.find_elements(By.CSS_SELECTOR, selector), f"no {selector}", seconds)


def named(driver, role, name, seconds=PATIENCE):
    """The first button or link whose accessible name contains a text."""
    script = """
        return [...document.querySelectorAll(arguments[0])].reverse().find((one) => one.checkVisibility() &&
            (one.getAttribute('aria-label') ?? one.textContent).includes(arguments[1]))
    """
    return until(lambda: driver.execute_script(script, role, name), f"{role} “{name}”", seconds)


def click(driver, role, name):
    """Clicks the button or link with a name once nothing covers it, retrying if it is replaced."""
    until(lambda: named(driver, role, name).click() is None, f"{role} “{name}” to be clicked")


def problems(driver):
    """Errors in the browser's console, policy violations included."""
    return [entry["message"] for entry in driver.get_log("browser")
            if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]
