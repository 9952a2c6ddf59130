// The page on which a passkey is added or used for a device without passkeys. The ticket in the address's fragment is
// the only secret. Browsers do not send a fragment to any server.
"use strict";

// The ticket leaves the address bar. Until it was used, it stays with this entry of the tab's history, so that the page can be
// loaded again.
const ticket = location.hash.slice(1) || history.state?.ticket || "";
history.replaceState({ ticket }, "", location.pathname);

const element = (id) => document.getElementById(id);
const status = element("status");
const failed = element("failed");
const again = element("again");
const show = (id) => { element(id).hidden = false; };
const hide = (id) => { element(id).hidden = true; };

const bytes = (text) => {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(plain, (character) => character.charCodeAt(0));
};
const text = (buffer) => {
    const plain = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const described = (list) => list.map((item) => ({ ...item, id: bytes(item.id) }));

// The code of the problem with which the server has answered, or “offline”. The page has a text for it in its language.
class Refusal extends Error {}

async function post(path, body) {
    let answer;
    try {
        answer = await fetch(path, {
            method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
            credentials: "omit", referrerPolicy: "no-referrer",
        });
    } catch {
        throw new Refusal("offline");
    }
    if (answer.status === 204) return null;
    // A proxy answers in words of its own.
    const value = await answer.json().catch(() => null);
    if (!answer.ok || !value) throw new Refusal(value?.code);
    return value;
}

const open = () => post("v1/passkeys/page", { ticket });

async function create(options) {
    const made = await navigator.credentials.create({
        publicKey: {
            ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) },
            excludeCredentials: described(options.excludeCredentials),
        },
    });
    return {
        attestation: {
            id: made.id, type: made.type,
            response: {
                clientDataJSON: text(made.response.clientDataJSON),
                attestationObject: text(made.response.attestationObject),
            },
        },
    };
}

async function get(options) {
    const used = await navigator.credentials.get({
        publicKey: {
            ...options, challenge: bytes(options.challenge), allowCredentials: described(options.allowCredentials),
        },
    });
    const response = {
        clientDataJSON: text(used.response.clientDataJSON),
        authenticatorData: text(used.response.authenticatorData), signature: text(used.response.signature),
    };
    if (used.response.userHandle) response.userHandle = text(used.response.userHandle);
    return { assertion: { id: used.id, type: used.type, response } };
}

// Does something while the page waits. The button for it can be pressed once more when it has failed. It is not disabled
// meanwhile, because it would lose the focus.
async function attempt(button, work) {
    if (button.hasAttribute("aria-busy")) return;
    button.setAttribute("aria-busy", "true");
    failed.textContent = "";
    status.textContent = status.dataset.waiting;
    try {
        await work();
    } catch (error) {
        const texts = failed.dataset;
        status.textContent = "";
        // The browser says in its own dialogue why it has no passkey.
        failed.textContent = error instanceof DOMException ? texts.cancelled : texts[error.message] ?? texts.other;
        // After these, another try fails too.
        button.hidden = ["notFound", "forbidden"].includes(error.message);
        (button.hidden ? element("main") : button).focus();
    } finally {
        button.removeAttribute("aria-busy");
    }
}

async function load() {
    const state = await open();
    const kind = state.creation ? "adding" : "signing-in";
    for (const item of document.querySelectorAll(".name-of-device")) item.textContent = state.name ?? "";
    for (const item of document.querySelectorAll(".place")) item.textContent = state.place;
    element("named").hidden = !state.name;
    element("elsewhere").hidden = !state.isElsewhere;
    status.textContent = "";
    show(kind);
    show("who");
    if (document.activeElement === again) element("main").focus();
    hide("again");
    const button = element(kind).querySelector("button");
    button.addEventListener("click", () => attempt(button, () => use(kind)));
}

async function use(kind) {
    // Each challenge is used once, so that a second try has one of its own.
    const fresh = await open();
    const response = await (fresh.creation ? create(fresh.creation) : get(fresh.request));
    await post("v1/passkeys/page/response", { ticket, ...response });
    history.replaceState(null, "");
    hide(kind);
    hide("who");
    status.textContent = status.getAttribute(`data-${kind}`);
    status.focus();
}

if (window.PublicKeyCredential) {
    again.addEventListener("click", () => attempt(again, load));
    attempt(again, load);
} else {
    show("unsupported");
}
