// Shows the buttons that copy a text, and tells people that it was copied. Without this script, there are no such buttons.
"use strict";

for (const button of document.querySelectorAll("button.copy")) {
    const source = document.getElementById(button.dataset.from);
    const status = document.getElementById(button.dataset.status);
    // Browsers have no clipboard for pages without TLS from another machine.
    if (!source || !status || !navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
        status.textContent = "";
        // The browser may ask for permission.
        button.setAttribute("aria-busy", "true");
        try {
            await navigator.clipboard.writeText(source.textContent.trim());
            status.className = "done";
            status.textContent = button.dataset.copied;
        } catch {
            // The browser has refused. The text is selected, so that people copy it themselves.
            getSelection().selectAllChildren(source);
            status.className = "error";
            status.textContent = button.dataset.failed;
        } finally {
            button.removeAttribute("aria-busy");
        }
    });
}
