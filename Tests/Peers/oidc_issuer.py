"""An OpenID Connect issuer (oidc-provider-mock) on a free port, which is the first line of the output."""

import oidc_provider_mock
import werkzeug.serving
from oidc_provider_mock._storage import User

users = [User(sub="ada", claims={"email": "ada@example.com", "email_verified": True})]
app = oidc_provider_mock.app(user_claims=users)
server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
