// The button that signs in with a passkey. Without this script, or in a browser without passkeys, there is no such button.
// Nor is there one at another host than the domain of the passkeys, such as the IP address of the server: no browser uses
// them there.
"use strict";

const section = document.getElementById("passkey");
const form = section.querySelector("form");
const button = form.querySelector("button");
const failed = document.getElementById("failed");
const waiting = document.getElementById("waiting");

const bytes = (text) => {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(plain, (character) => character.charCodeAt(0));
};
const text = (buffer) => {
    const plain = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

// The code of the problem with which the server has answered, or “offline”. The page has a text for it in its language.
class Refusal extends Error {}

async function begin() {
    let answer;
    try {
        answer = await fetch(form.dataset.begin, {
            method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ name: form.dataset.device }), credentials: "omit", referrerPolicy: "no-referrer",
        });
    } catch {
        throw new Refusal("offline");
    }
    // A proxy answers in words of its own.
    const value = await answer.json().catch(() => null);
    if (!answer.ok || !value) throw new Refusal(value?.code);
    return value;
}

async function use({ id, options }) {
    const used = await navigator.credentials.get({
        publicKey: { ...options, challenge: bytes(options.challenge), allowCredentials: [] },
    });
    const response = {
        clientDataJSON: text(used.response.clientDataJSON),
        authenticatorData: text(used.response.authenticatorData), signature: text(used.response.signature),
    };
    if (used.response.userHandle) response.userHandle = text(used.response.userHandle);
    form.elements.ceremony.value = id;
    form.elements.assertion.value = JSON.stringify({ id: used.id, type: used.type, response });
}

// A button that is disabled would lose the focus.
function wait(isWaiting) {
    if (isWaiting) button.setAttribute("aria-busy", "true");
    else button.removeAttribute("aria-busy");
    waiting.textContent = isWaiting ? waiting.dataset.text : "";
}

if (window.PublicKeyCredential && `.${location.hostname}`.endsWith(`.${form.dataset.domain}`)) {
    section.hidden = false;
    // A page that comes back from the browser's memory waits for nothing.
    window.addEventListener("pageshow", (event) => { if (event.persisted) wait(false); });
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (button.hasAttribute("aria-busy")) return;
        wait(true);
        failed.textContent = "";
        try {
            await use(await begin());
            // The server answers with the cookie, and the browser opens the page of the account. No script sees the token.
            form.submit();
        } catch (error) {
            const texts = failed.dataset;
            wait(false);
            // The browser says in its own dialogue why it has no passkey.
            failed.textContent = error instanceof DOMException ? texts.cancelled : texts[error.message] ?? texts.other;
            button.focus();
        }
    });
} else {
    // Without codes, there is no other way.
    document.getElementById("noway")?.removeAttribute("hidden");
}
