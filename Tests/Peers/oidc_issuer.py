"""An OpenID Connect issuer (oidc-provider-mock) on a free port, which is the first line of the output.

Some users get an id token that a client must not accept. Their name says what is wrong with it; see `hostile`.
"""

import base64
import hashlib
import hmac
import json

import flask
import oidc_provider_mock
import werkzeug.serving
from authlib.jose import JsonWebSignature
from oidc_provider_mock._storage import User, storage


def encoded(data):
    if isinstance(data, dict):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def signed(head, claims):
    """A token with the issuer's signature."""
    return JsonWebSignature().serialize_compact(head, json.dumps(claims).encode(), storage.jwk).decode()


def hostile(user, token):
    """The token that a user gets instead of the right one; the right one for all other users."""
    head, claims = (decoded(part) for part in token.split(".")[:2])
    match user:
        case "none" | "none-unsigned":
            signature = b"" if user == "none-unsigned" else b"AAAA"
            return b".".join([encoded({**head, "alg": "none"}), encoded(claims), signature]).decode()
        case "hs256-pem" | "hs256-jwk":
            public = storage.jwk.as_pem(is_private=False)
            if user == "hs256-jwk":
                public = json.dumps(storage.jwk.as_dict(is_private=False)).encode()
            content = encoded({**head, "alg": "HS256"}) + b"." + encoded(claims)
            return (content + b"." + encoded(hmac.digest(public, content, hashlib.sha256))).decode()
        case "aud":
            return signed(head, {**claims, "aud": ["other"]})
        case "iss":
            return signed(head, {**claims, "iss": claims["iss"] + "/"})
        case "nonce":
            return signed(head, {**claims, "nonce": "A" * 43})
        case "kid":
            return signed({**head, "kid": "unknown"}, claims)
        case "signature":
            return token.rpartition(".")[0] + "." + encoded(bytes(256)).decode()
        case "resigned":
            # With everything right, so that the other cases differ from a right token in one thing.
            return signed(head, claims)
    return token


users = [User(sub="ada", claims={"email": "ada@example.com", "email_verified": True})]
app = oidc_provider_mock.app(user_claims=users)


@app.after_request
def replace_token(response):
    if flask.request.path == "/oauth2/token" and response.status_code == 200:
        answer = response.get_json()
        user = decoded(answer["id_token"].split(".")[1])["sub"]
        answer["id_token"] = hostile(user, answer["id_token"])
        response.set_data(json.dumps(answer))
    return response


server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
