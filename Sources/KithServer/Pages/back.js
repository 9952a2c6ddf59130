// Browsers keep pages in memory for somebody who comes back, also after signing out. Then this page is loaded again.
"use strict";

// What is kept is hidden, so that it is not shown while the page is loaded.
window.addEventListener("pagehide", (event) => { document.documentElement.hidden = event.persisted; });
window.addEventListener("pageshow", (event) => {
    // With GET, although the page may be the answer to a form.
    if (event.persisted) location.replace(location.pathname + location.search);
});
