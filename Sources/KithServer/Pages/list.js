// Keeps the list of a page current. The server sends events without content, and the page fetches itself again: nothing is
// built from text here. Without the script, the page stays as it was loaded.
"use strict";

{
    const live = document.getElementById("live");
    // A list that changes all the time is fetched once a second.
    const pause = 1000;
    let fetched = 0;
    let waiting = null;

    function say(text, isWaiting = false) {
        const words = document.createElement("span");
        words.className = isWaiting ? "live waiting" : "live";
        words.textContent = text;
        live.replaceChildren(...(text ? [words] : []));
    }

    // Replaces the present items by the fetched ones. The focus stays where it was.
    function show(items) {
        const list = document.getElementById("list");
        // A button that was pressed is not a change of the list.
        const present = list.cloneNode(true);
        for (const button of present.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
        // The page keeps its ticket, so that a new one is no change of the list.
        const ticket = present.querySelector("[name=ticket]");
        if (ticket) for (const field of items.querySelectorAll("[name=ticket]")) field.replaceWith(ticket.cloneNode());
        if (items.isEqualNode(present)) return false;
        const focused = list.contains(document.activeElement) ? document.activeElement.closest("li")?.id : null;
        const next = document.adoptNode(items);
        list.replaceWith(next);
        if (focused) {
            const item = document.getElementById(focused);
            const target = item?.querySelector("button") ?? item;
            if (target && target === item) item.tabIndex = -1;
            target?.focus({ preventScroll: true });
        }
        return true;
    }

    async function refresh() {
        waiting = null;
        fetched = Date.now();
        const begun = fetched;
        try {
            const answer = await fetch(location.pathname + location.search, {
                headers: { Accept: "text/html" }, credentials: "same-origin", cache: "no-store",
                referrerPolicy: "no-referrer",
            });
            if (!answer.ok) return;
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            // A later answer may have arrived before this one.
            if (begun !== fetched) return;
            const items = page.getElementById("list");
            if (items && show(items)) say(live.dataset.changed);
        } catch {
            // The connection is lost. The events begin again when it is back, and then the page is fetched.
        }
    }

    function schedule() {
        if (waiting === null) waiting = setTimeout(refresh, Math.max(0, fetched + pause - Date.now()));
    }

    if (live && window.EventSource) {
        const connecting = () => say(live.dataset.connecting, true);
        const events = new EventSource(live.dataset.events);
        connecting();
        events.addEventListener("hello", () => {
            say(live.dataset.live);
            // Something may have changed since the page was loaded, or while the connection was lost.
            schedule();
        });
        events.addEventListener("changed", schedule);
        events.addEventListener("gone", () => {
            events.close();
            // The page says what has become of the link.
            location.replace(location.pathname);
        });
        // The browser connects again by itself, unless the server has refused.
        events.addEventListener("error", () => events.readyState === EventSource.CLOSED ? say("") : connecting());
        window.addEventListener("pagehide", () => events.close());
        // A button that was pressed shows that the browser waits for the server.
        document.addEventListener("submit", (event) => event.submitter?.setAttribute("aria-busy", "true"));
        // A page that comes back from the browser's memory has no events.
        window.addEventListener("pageshow", (event) => { if (event.persisted) location.replace(location.pathname); });
    }
}
