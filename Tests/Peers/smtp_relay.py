"""A mail relay by aiosmtpd, for tests: it prints what it receives, one JSON object a line, and its port first.

usage: smtp_relay.py CERTIFICATE KEY starttls|implicit|plain

It asks for the user "kith" with the password "pass word". The recipient decides how it answers:
later@ is refused for now, once; nobody@ does not exist; wordy@ neither, in several lines; spam@ is refused after the
content; drop@ closes the connection after the content, once, without an answer; slow@ is answered after a long time;
late@ is answered 35 seconds after the content; silent@ gets no answer after the content; mute@ gets one, but no answer
to QUIT.
"""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

seen = set()


def tell(**event):
    print(json.dumps(event), flush=True)


def first(address):
    """Whether this is the first time that the address is used."""
    if address in seen:
        return False
    seen.add(address)
    return True


def authenticate(server, session, envelope, mechanism, data):
    isRight = isinstance(data, LoginPassword) and (data.login, data.password) == (b"kith", b"pass word")
    return AuthResult(success=isRight, handled=False, auth_data=data)


class Handler:
    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        tell(event="hello", connection=session.peer[1], name=hostname)
        return responses

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("later@") and first(address):
            return "451 4.7.1 Greylisted, try again"
        if address.startswith("nobody@"):
            return "550 5.1.1 No such user"
        if address.startswith("wordy@"):
            return "550-5.1.1 The account does not exist.\r\n550-5.1.1 Check its spelling.\r\n550 5.1.1 example"
        if address.startswith("slow@"):
            tell(event="recipient", connection=session.peer[1])
            await asyncio.sleep(600)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        address = envelope.rcpt_tos[0]
        tell(
            event="mail", connection=session.peer[1], encrypted=session.ssl is not None or implicit,
            user=session.auth_data.login.decode() if session.auth_data else None, sender=envelope.mail_from,
            recipients=envelope.rcpt_tos, content=envelope.original_content.decode("latin-1"))
        if address.startswith("spam@"):
            return "554 5.7.1 Content refused"
        if address.startswith("drop@") and first(address):
            server.transport.abort()
        if address.startswith("late@"):
            await asyncio.sleep(35)
        if address.startswith("silent@"):
            await asyncio.sleep(600)
        session.is_mute = address.startswith("mute@")
        return "250 OK"

    async def handle_QUIT(self, server, session, envelope):
        tell(event="quit", connection=session.peer[1])
        if getattr(session, "is_mute", False):
            await asyncio.sleep(600)
        return "221 Bye"


class Relay(SMTP):
    def connection_lost(self, error):
        tell(event="closed", connection=self.session.peer[1])
        super().connection_lost(error)


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    mode = sys.argv[3]

    def protocol():
        return Relay(
            Handler(), hostname="relay.example", authenticator=authenticate, auth_required=mode != "plain",
            auth_require_tls=mode == "starttls", require_starttls=mode == "starttls",
            tls_context=context if mode == "starttls" else None)

    server = await asyncio.get_running_loop().create_server(
        protocol, "127.0.0.1", 0, ssl=context if mode == "implicit" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


implicit = sys.argv[3] == "implicit"
asyncio.run(main())
