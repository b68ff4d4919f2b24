"""Accessibility audits: our own script, and axe-core if it is available."""

import pathlib
import subprocess
import sys

import library

OWN = (pathlib.Path(__file__).parent / "audit.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """
const [tags, done] = arguments;
axe.run(document, { runOnly: tags, resultTypes: ['violations'] }).then(({ violations }) => done(violations.flatMap((one) =>
    one.nodes.map((node) => `axe ${one.id}: ${node.target.join(' ')} ${node.failureSummary.split('\\n').at(-1).trim()}`)))).catch((error) => done([String(error)]));
"""


def axe():
    """axe-core's source from a PyPI package, installed once below .build; None if unavailable."""
    folder = library.ROOT / ".build/axe"
    if not list(folder.glob("**/axe.min.js")):
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, timeout=120)
            subprocess.run([folder / "bin/pip", "install", "--quiet", "--no-deps", "axe-playwright-python==0.1.8"],
                           check=True, capture_output=True, timeout=120)
        except (subprocess.SubprocessError, OSError):
            return None
    return next(folder.glob("**/axe.min.js")).read_text()


class Audit:
    """A page's findings, each a sentence."""

    def __init__(self):
        self.axe = axe()
        if not self.axe:
            print("    axe-core cannot be had from PyPI: the audits are our own script alone", flush=True)

    def __call__(self, driver, deeply=True):
        # The last line of a script is no value in a function; the audit is an expression with a comment before it.
        findings = driver.execute_script("return " + OWN[OWN.index("(() =>"):])["findings"]
        if self.axe and deeply:
            if not driver.execute_script("return Boolean(window.axe)"):
                driver.execute_script(self.axe)
            findings += driver.execute_async_script(RUN, TAGS)
        return findings
