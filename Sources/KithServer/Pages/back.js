// Browsers keep pages in memory for somebody who comes back, also after signing out. Then this page is loaded again.
"use strict";

// What is kept is hidden, so that it is not shown while the page is loaded.
window.addEventListener("pagehide", (event) => { document.documentElement.hidden = event.persisted; });
window.addEventListener("pageshow", (event) => {
    // With GET, although the page may be the answer to a form.
    if (event.persisted) location.replace(location.pathname + location.search);
});

// What a form has done is told once, and not again when the page is loaded again.
{
    const address = new URL(location);
    const told = ["done", "released", "refused", "unchanged", "nothing", "foreign", "again", "resumed"];
    for (const name of told) address.searchParams.delete(name);
    history.replaceState(history.state, "", address);
}
