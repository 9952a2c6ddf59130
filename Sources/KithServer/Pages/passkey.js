// The page on which a passkey is added or used for a device without passkeys. The ticket in the address's fragment is
// the only secret. Browsers do not send a fragment to any server.
"use strict";

const ticket = location.hash.slice(1);
// The ticket does not stay in the address bar or in the history.
history.replaceState(null, "", location.pathname);

const element = (id) => document.getElementById(id);
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

// The code of the problem with which the server has answered. The page has a text for it in its language.
class Refusal extends Error {}

async function post(path, body) {
    const answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
        credentials: "omit", referrerPolicy: "no-referrer",
    });
    if (answer.status === 204) return null;
    const value = await answer.json();
    if (!answer.ok) throw new Refusal(value.code);
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

function fail(error) {
    const texts = element("failed").dataset;
    element("reason").textContent = error instanceof Refusal ? texts[error.message] ?? texts.other : "";
    // The browser says why it has no passkey, in its own dialogue.
    element("cancelled").hidden = error instanceof Refusal;
    show("failed");
}

async function start() {
    if (!window.PublicKeyCredential) return show("unsupported");
    let state;
    show("waiting");
    try {
        state = await open();
    } catch (error) {
        return fail(error);
    } finally {
        hide("waiting");
    }
    const kind = state.creation ? "adding" : "signing-in";
    for (const item of document.querySelectorAll(".name-of-device")) item.textContent = state.name ?? "";
    for (const item of document.querySelectorAll(".place")) item.textContent = state.place;
    element("named").hidden = !state.name;
    element("elsewhere").hidden = !state.isElsewhere;
    show(kind);
    show("who");
    for (const button of document.querySelectorAll("button")) {
        button.addEventListener("click", async () => {
            button.disabled = true;
            button.setAttribute("aria-busy", "true");
            show("waiting");
            hide("failed");
            try {
                // Each challenge is used once, so that a second try has one of its own.
                const fresh = await open();
                const response = await (fresh.creation ? create(fresh.creation) : get(fresh.request));
                await post("v1/passkeys/page/response", { ticket, ...response });
                hide(kind);
                hide("who");
                show(`${kind}-done`);
            } catch (error) {
                fail(error);
            } finally {
                button.disabled = false;
                button.removeAttribute("aria-busy");
                hide("waiting");
            }
        });
    }
}

start();
