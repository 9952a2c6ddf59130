// Keeps the list of a page current. The server sends events without content, and the page fetches itself again: nothing is
// built from text here. Without the script, the page stays as it was loaded.
"use strict";

{
    const live = document.getElementById("live");
    // A list that changes all the time is fetched once a second.
    const pause = 1000;
    const longest = 60000;
    let fetched = 0;
    // No request is sent before this time.
    let earliest = 0;
    let waiting = null;
    let failures = 0;
    let refusals = 0;
    let events = null;
    let isLost = false;
    let isOver = false;

    function say(text, isWaiting = false) {
        const words = document.createElement("span");
        words.className = isWaiting ? "live waiting" : "live";
        words.textContent = text;
        live.replaceChildren(...(text ? [words] : []));
    }

    // Replaces the items that have changed. The others stay, with the place of a reader, the selection and the focus in them.
    function show(items) {
        const list = document.getElementById("list");
        // The page keeps its ticket, so that a new one is no change of the list.
        const ticket = list.querySelector("[name=ticket]");
        if (ticket) for (const field of items.querySelectorAll("[name=ticket]")) field.replaceWith(ticket.cloneNode());
        // The item with the focus, and those after it, in case that it is removed.
        const candidates = [];
        for (let item = document.activeElement?.closest("#list li"); item; item = item.nextElementSibling) {
            candidates.push(item.id);
        }
        if (!merge(list, items)) return false;
        if (candidates.length > 0 && !list.contains(document.activeElement)) {
            const item = document.getElementById(candidates[0]);
            const next = candidates.map((id) => document.getElementById(id)).find(Boolean) ?? live;
            // Not the button of another item, which nobody wants to press.
            const target = item?.querySelector("button") ?? next;
            if (target === next) target.tabIndex = -1;
            target.focus({ preventScroll: true });
        }
        return true;
    }

    // Makes the elements in a place those of another one, and returns whether that has changed anything.
    function merge(place, other) {
        const key = (element) => element.id || element.className;
        const present = new Map([...place.children].map((element) => [key(element), element]));
        let isChanged = false;
        const wanted = [...other.children].map((element) => {
            const same = present.get(key(element));
            if (same && element.localName === "ul") {
                isChanged = merge(same, element) || isChanged;
                return same;
            }
            return same && settled(same).isEqualNode(element) ? same : document.adoptNode(element);
        });
        const kept = new Set(wanted);
        for (const element of present.values()) {
            if (kept.has(element)) continue;
            element.remove();
            isChanged = true;
        }
        let next = place.firstElementChild;
        for (const element of wanted) {
            if (element === next) {
                next = next.nextElementSibling;
            } else {
                place.insertBefore(element, next);
                isChanged = true;
            }
        }
        return isChanged;
    }

    // An element without what this script has added: that its button was pressed, or that it can have the focus.
    function settled(element) {
        const copy = element.cloneNode(true);
        copy.removeAttribute("tabindex");
        for (const button of copy.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
        return copy;
    }

    // How long to wait after refusals in a row, so that a full server gets fewer and fewer requests: 2 seconds at first, 1 minute
    // at most, not the same for all pages.
    function patience(refusals) {
        return Math.min(longest, 1000 * 2 ** refusals) * (0.75 + Math.random() / 2);
    }

    async function refresh() {
        waiting = null;
        fetched = Date.now();
        earliest = fetched + pause;
        const begun = fetched;
        try {
            const answer = await fetch(location.pathname + location.search, {
                headers: { Accept: "text/html" }, credentials: "same-origin", cache: "no-store",
                referrerPolicy: "no-referrer",
            });
            isLost = false;
            if (answer.status === 404 || answer.status === 410) return leave();
            if (!answer.ok) return again(1000 * Number(answer.headers.get("Retry-After")));
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            failures = 0;
            // A later answer may have arrived before this one.
            if (begun !== fetched) return;
            if (!page.getElementById("live")) return leave();
            const items = page.getElementById("list");
            if (items && show(items)) say(live.dataset.changed);
        } catch {
            isLost = true;
            again();
        }
    }

    // Fetches the page again after a failure: what has changed is not told twice.
    function again(wanted) {
        failures += 1;
        earliest = Date.now() + Math.max(wanted || 0, patience(failures));
        schedule();
    }

    function schedule() {
        if (waiting === null && !isOver) waiting = setTimeout(refresh, Math.max(0, earliest - Date.now()));
    }

    function connect() {
        if (isOver) return;
        const connecting = () => say(live.dataset.connecting, true);
        events = new EventSource(live.dataset.events);
        connecting();
        events.addEventListener("hello", () => {
            refusals = 0;
            say(live.dataset.live);
            // The connection is back. After a refusal, in contrast, the page waits as long as it was asked to.
            if (isLost) {
                clearTimeout(waiting);
                waiting = null;
                earliest = 0;
            }
            // Something may have changed since the page was loaded, or while the connection was lost.
            schedule();
        });
        events.addEventListener("changed", schedule);
        events.addEventListener("gone", leave);
        events.addEventListener("error", () => {
            connecting();
            // The browser connects again by itself, unless the server has refused.
            if (events.readyState !== EventSource.CLOSED) return;
            refusals += 1;
            setTimeout(connect, patience(refusals));
            // The page stays current meanwhile, and tells if the link cannot be used any more.
            schedule();
        });
    }

    // The page says what has become of the link.
    function leave() {
        end();
        reload();
    }

    function reload() {
        location.replace(location.pathname + location.search);
    }

    // What came of a button is told once, to the one who has pressed it, and not to those who get the address. The channel of the
    // link stays.
    function tidy() {
        const address = new URL(location);
        if (!address.searchParams.has("tick")) return;
        address.searchParams.delete("tick");
        history.replaceState(null, "", address);
    }

    function end() {
        isOver = true;
        clearTimeout(waiting);
        events.close();
    }

    if (live && window.EventSource) {
        tidy();
        connect();
        window.addEventListener("pagehide", end);
        // A button that was pressed shows that the browser waits for the server.
        document.addEventListener("submit", (event) => event.submitter?.setAttribute("aria-busy", "true"));
        window.addEventListener("pageshow", (event) => {
            // A page that comes back from the browser's memory has no events.
            if (event.persisted) return reload();
            // The address leads to an item, from which a problem may be out of sight.
            document.querySelector("main .problem")?.focus();
        });
    }
}
