"""Makes registrations and assertions of passkeys, changes most of them a little, and says what PyPI's `webauthn` thinks.

    python3 Tests/Peers/webauthn_cases.py --seed 1 --count 4000

Prints one JSON object a line. `PasskeyDifferenceTests` holds the server's own checks against these verdicts.
"""
import argparse
import base64
import hashlib
import json
import random
import struct

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers.cose import COSEAlgorithmIdentifier

DOMAIN, ORIGIN = "kith.example", "https://kith.example"
USER = bytes(range(16))
FLAGS = 0x05  # User present, user verified.


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """A key of one of the three algorithms. Its private key comes from the system, so signatures differ in each run."""

    def __init__(self, name):
        self.name = name
        if name == "ES256":
            self.private = ec.generate_private_key(ec.SECP256R1())
            point = self.private.public_key().public_numbers()
            self.cose = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        elif name == "EdDSA":
            self.private = ed25519.Ed25519PrivateKey.generate()
            self.cose = {1: 1, 3: -8, -1: 6, -2: self.private.public_key().public_bytes_raw()}
        else:
            self.private = rsa.generate_private_key(65537, 2048)
            numbers = self.private.public_key().public_numbers()
            self.cose = {1: 3, 3: -257, -1: numbers.n.to_bytes(256, "big"), -2: numbers.e.to_bytes(3, "big")}

    def sign(self, data):
        if self.name == "ES256":
            return self.private.sign(data, ec.ECDSA(hashes.SHA256()))
        if self.name == "EdDSA":
            return self.private.sign(data)
        return self.private.sign(data, padding.PKCS1v15(), hashes.SHA256())


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.keys = [Key(name) for name in ("ES256", "EdDSA", "RS256")]

    def mutated(self, data):
        """The bytes with one small change somewhere."""
        data = bytearray(data)
        place = self.random.randrange(len(data)) if data else 0
        change = self.random.randrange(6)
        if change == 0 and data:
            data[place] ^= 1 << self.random.randrange(8)
        elif change == 1 and data:
            data[place] = self.random.randrange(256)
        elif change == 2 and data:
            del data[place]
        elif change == 3:
            data.insert(place, self.random.randrange(256))
        elif change == 4:
            del data[place:]
        else:
            data[place:place] = data[place:place + self.random.randrange(1, 9)]
        return bytes(data)

    def client_data(self, kind, challenge):
        """The client data; in a quarter of the cases, one member is wrong, missing or unusual."""
        data = {"type": "webauthn." + kind, "challenge": text(challenge), "origin": ORIGIN, "crossOrigin": False}
        if self.random.random() < 0.25:
            name, value = self.random.choice([
                ("type", "webauthn.get"), ("type", "webauthn.create"), ("type", 1), ("challenge", text(b"x" * 32)),
                ("challenge", text(challenge) + "="), ("challenge", None), ("origin", "http://kith.example"),
                ("origin", "https://kith.example:443"), ("origin", "https://kith.example.evil.example"),
                ("origin", "https://KITH.example"), ("crossOrigin", True), ("crossOrigin", None),
                ("crossOrigin", "x"), ("topOrigin", ORIGIN), ("tokenBinding", {"status": "supported"}),
                ("other", [{"a": 1}, "ä", 1.5])])
            if value is None and self.random.random() < 0.5:
                data.pop(name, None)
            else:
                data[name] = value
        return json.dumps(data, separators=(",", ":")).encode()

    def header(self, flags):
        domain = DOMAIN if self.random.random() < 0.95 else "evil.example"
        if self.random.random() < 0.25:
            flags ^= 1 << self.random.randrange(6)
        self.count = self.random.choice([0, 0, 1, 6, 2**32 - 1])
        return hashlib.sha256(domain.encode()).digest() + bytes([flags]) + struct.pack(">I", self.count)

    def extensions(self):
        """Half of the authenticators add an extension that a browser has requested by itself."""
        if self.random.random() < 0.5:
            return 0, b""
        return 0x80, cbor2.dumps(self.random.choice([{"credProtect": 2}, {"example.extension": True}, {}]))

    def registration(self):
        key, challenge = self.random.choice(self.keys), self.random.randbytes(32)
        client_data, identity = self.client_data("create", challenge), self.random.randbytes(16)
        flags, extensions = self.extensions()
        cose = dict(key.cose)
        if self.random.random() < 0.15:
            name = self.random.choice(list(cose))
            value = self.random.choice([None, 0, 1, 2, 3, -7, -8, -257, -35, b"", b"\1" * 32])
            if value is None:
                del cose[name]
            else:
                cose[name] = value
        data = self.header(FLAGS | 0x40 | flags) + bytes(16) + struct.pack(">H", len(identity)) + identity
        data += cbor2.dumps(cose) + extensions
        target = self.random.choice(["none", "client", "data", "object", "id"])
        if target == "client":
            client_data = self.mutated(client_data)
        if target == "data":
            data = self.mutated(data)
        attestation = {"fmt": "none", "attStmt": {}, "authData": data}
        if self.random.random() < 0.3:
            signature = key.sign(data + hashlib.sha256(client_data).digest())
            if self.random.random() < 0.3:
                signature = self.mutated(signature)
            attestation = {"fmt": "packed", "attStmt": {"alg": key.cose[3], "sig": signature}, "authData": data}
        item = cbor2.dumps(attestation)
        if target == "object":
            item = self.mutated(item)
        if target == "id":
            identity = self.mutated(identity)
        credential = {"id": text(identity), "rawId": text(identity), "type": "public-key", "response": {
            "clientDataJSON": text(client_data), "attestationObject": text(item)}}
        verdict = judge(lambda: verify_registration_response(
            credential=credential, expected_challenge=challenge, expected_rp_id=DOMAIN, expected_origin=ORIGIN,
            require_user_verification=True, supported_pub_key_algs=[
                COSEAlgorithmIdentifier(number) for number in (-8, -7, -257)]))
        return {"kind": "registration", "target": target, "algorithm": key.name, "challenge": text(challenge),
                "attestation": credential, **verdict}

    def assertion(self):
        key, challenge = self.random.choice(self.keys), self.random.randbytes(32)
        client_data, identity = self.client_data("get", challenge), bytes(16)
        flags, extensions = self.extensions()
        data = self.header(FLAGS | flags) + extensions
        target = self.random.choice(["none", "client", "data", "client before signing", "data before signing", "signature"])
        if target.endswith("before signing"):
            client_data, data = (
                (self.mutated(client_data), data) if target.startswith("client") else (client_data, self.mutated(data)))
        signature = key.sign(data + hashlib.sha256(client_data).digest())
        if target == "client":
            client_data = self.mutated(client_data)
        if target == "data":
            data = self.mutated(data)
        if target == "signature":
            signature = self.mutated(signature)
        credential = {"id": text(identity), "rawId": text(identity), "type": "public-key", "response": {
            "clientDataJSON": text(client_data), "authenticatorData": text(data), "signature": text(signature),
            "userHandle": text(USER)}}
        stored = self.random.choice([0, 5])
        verdict = judge(lambda: verify_authentication_response(
            credential=credential, expected_challenge=challenge, expected_rp_id=DOMAIN, expected_origin=ORIGIN,
            credential_public_key=cbor2.dumps(key.cose), credential_current_sign_count=stored,
            require_user_verification=True))
        return {"kind": "assertion", "target": target, "algorithm": key.name, "challenge": text(challenge),
                "assertion": credential, "stored": stored, **verdict}

    def plain(self, key):
        """A registration without fault, from which the server reads the key in its own form."""
        data = hashlib.sha256(DOMAIN.encode()).digest() + bytes([FLAGS | 0x40]) + bytes(4)
        data += bytes(16) + struct.pack(">H", 16) + bytes(16) + cbor2.dumps(key.cose)
        item = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return {"kind": "key", "algorithm": key.name, "object": text(item)}


def judge(body):
    try:
        body()
        return {"accepts": True, "reason": ""}
    except Exception as error:
        causes = [str(error) or type(error).__name__]
        while (error := error.__cause__) is not None:
            causes.append(str(error))
        return {"accepts": False, "reason": ": ".join(causes)[:200]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=4000)
    options = parser.parse_args()
    maker = Maker(options.seed)
    for key in maker.keys:
        print(json.dumps(maker.plain(key)))
    for number in range(options.count):
        print(json.dumps(maker.registration() if number % 2 == 0 else maker.assertion()))


if __name__ == "__main__":
    main()
