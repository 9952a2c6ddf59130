"""What holds for each page: accessible, strict, its own, and of a size that fits."""

import pathlib
import sys
import urllib.parse

LOOKS = [("phone-light", 390, 844, "light"), ("phone-dark", 390, 844, "dark"),
         ("desktop-light", 1280, 900, "light"), ("desktop-dark", 1280, 900, "dark")]
# All rules are checked in these, which have both sizes and both schemes; in the others, only the contrast, because no
# other rule depends on both.
THOROUGH = ["phone-light", "desktop-dark"]
# The narrowest window for which WCAG 2.2 asks that nobody has to scroll in two directions (1.4.10).
NARROWEST = 320
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = next(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/axe_playwright_python/axe.min.js")).read_text()
CHECK = """
    const [rules, done] = arguments;
    // A colour on its way from light to dark is none of the page's.
    for (const each of document.getAnimations()) each.effect.getTiming().iterations === Infinity ? each.cancel() : each.finish();
    axe.run(document, {runOnly: rules}).then(
        found => done({violations: found.violations.map(each => [each.id, each.nodes.map(node => node.html)]),
                       passes: found.passes.map(each => each.id)}),
        error => done({violations: [[String(error), []]], passes: []}))
"""


def inspect(window, gallery, name):
    """Checks the page of a window in each look, and takes pictures of it. Returns the faults."""
    faults = []
    window.run(AXE + ";arguments[0]()")
    for look, width, height, scheme in LOOKS:
        size = window.look(width, height, scheme)
        if size["width"] > width:
            faults.append(f"{name}, {look}: {size['width']} pixels wide")
        found = window.run(CHECK, RULES if look in THOROUGH else ["color-contrast"])
        faults += [f"{name}, {look}: {rule}: {' '.join(nodes)}" for rule, nodes in found["violations"]]
        if "color-contrast" not in found["passes"]:
            faults.append(f"{name}, {look}: the contrast was not checked")
        gallery.keep(name, look, lambda: window.picture(width, max(height, size["height"])))
    size = window.look(NARROWEST, 600, "light")
    if size["width"] > NARROWEST:
        faults.append(f"{name}: {size['width']} pixels wide in a window of {NARROWEST}")
    window.look(*LOOKS[-1][1:])
    return faults


def exchange(window, service):
    """Checks what a window has exchanged with servers. Returns the faults."""
    window.listen()
    faults, site = [], urllib.parse.urlsplit(service.address).netloc
    for request in window.requests:
        address = urllib.parse.urlsplit(request["url"])
        if address.scheme in ("http", "https", "ws", "wss") and address.netloc != site:
            faults.append(f"a request to another server: {request['url']}")
        if request["headers"].get("Referer"):
            faults.append(f"a request that says where it comes from: {request['url']}")
        if "@" in urllib.parse.unquote(address.query + address.path):
            faults.append(f"an email in an address: {request['url']}")
    for document in window.documents:
        address = urllib.parse.urlsplit(document["url"])
        if address.netloc == site and document["mimeType"] == "text/html":
            faults += [f"{address.path}: {fault}" for fault in headers(document["headers"])]
    window.requests, window.documents = [], []
    faults += [f"the console: {message}" for message in window.complaints()]
    for cookie in window.cookies:
        if not cookie["httpOnly"] or cookie.get("sameSite") not in ("Lax", "Strict"):
            faults.append(f"a cookie that scripts or other websites can use: {cookie['name']}")
    return faults


def headers(fields):
    """The faults of the headers of a page."""
    fields = {name.lower(): value for name, value in fields.items()}
    faults, policy = [], {}
    for part in fields.get("content-security-policy", "").split(";"):
        words = part.split()
        if words:
            policy[words[0]] = words[1:]
    for directive in ("default-src", "base-uri", "frame-ancestors"):
        if policy.get(directive) != ["'none'"]:
            faults.append(f"{directive} is {policy.get(directive)}")
    if policy.get("form-action") not in (["'self'"], ["'none'"]):
        faults.append(f"form-action is {policy.get('form-action')}")
    faults += [f"{directive} permits {source}" for directive, sources in policy.items() for source in sources
               if source not in ("'self'", "'none'")]
    for name, value in (("referrer-policy", "no-referrer"), ("x-content-type-options", "nosniff"),
                        ("cross-origin-opener-policy", "same-origin")):
        if fields.get(name) != value:
            faults.append(f"{name} is {fields.get(name)}")
    if not fields.get("content-language"):
        faults.append("no Content-Language")
    return faults
