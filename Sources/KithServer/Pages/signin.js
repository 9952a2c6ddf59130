// The button that signs in with a passkey. Without this script, or in a browser without passkeys, there is no such button.
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

// The code of the problem with which the server has answered. The page has a text for it in its language.
class Refusal extends Error {}

async function begin() {
    const answer = await fetch(form.dataset.begin, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ name: form.dataset.device }), credentials: "omit", referrerPolicy: "no-referrer",
    });
    if (answer.ok) return await answer.json();
    // A proxy answers in words of its own.
    const problem = await answer.json().catch(() => ({}));
    throw new Refusal(problem.code);
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

function fail(error) {
    const texts = failed.dataset;
    // The browser says why it has no passkey, in its own dialogue.
    failed.textContent = error instanceof Refusal ? texts[error.message] ?? texts.other : texts.cancelled;
    failed.hidden = false;
}

function wait(isWaiting) {
    button.disabled = isWaiting;
    button.setAttribute("aria-busy", isWaiting);
    waiting.hidden = !isWaiting;
}

if (window.PublicKeyCredential) {
    section.hidden = false;
    // A page that comes back from the browser's memory waits for nothing.
    window.addEventListener("pageshow", (event) => { if (event.persisted) wait(false); });
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        wait(true);
        failed.hidden = true;
        try {
            await use(await begin());
            // The server answers with the cookie, and the browser opens the page of the account. No script sees the token.
            form.submit();
        } catch (error) {
            fail(error);
            wait(false);
        }
    });
}
