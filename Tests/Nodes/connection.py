"""Requests to the nodes of a service, each to the node that the caller chooses."""

import base64
import http.client
import json


class Connection:
    """Keeps one connection to each node. A thread has its own, because it waits for each answer."""

    def __init__(self, nodes, authorization):
        self.nodes, self.authorization, self.open = nodes, authorization, {}

    @staticmethod
    def bearer(token):
        return f"Bearer {token}"

    @staticmethod
    def basic(user):
        return "Basic " + base64.b64encode(f"{user}:secret".encode()).decode()

    def close(self):
        for node in list(self.open):
            self.forget(node)

    def forget(self, node):
        connection = self.open.pop(node, None)
        if connection:
            connection.close()

    def ask(self, node, method, path, body=None):
        """The status, the headers and the content of an answer. Raises OSError or HTTPException if there is none."""
        try:
            self.begin(node, method, path, body)
            answer = self.open[node].getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.forget(node)
            raise
        return answer.status, answer.headers, json.loads(content) if content else None

    def lose(self, node, method, path, body, pause):
        """Sends a request as a whole, and hangs up after a pause without reading the answer."""
        try:
            self.begin(node, method, path, body)
            pause()
        except (OSError, http.client.HTTPException):
            pass
        self.forget(node)

    def cut(self, node, method, path, body):
        """Sends only half of a request's body, and hangs up."""
        data = json.dumps(body).encode()
        try:
            connection = self.connection(node)
            connection.putrequest(method, path)
            for name, value in self.headers().items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data[: len(data) // 2])
        except (OSError, http.client.HTTPException):
            pass
        self.forget(node)

    def begin(self, node, method, path, body):
        data = None if body is None else json.dumps(body).encode()
        self.connection(node).request(method, path, data, self.headers())

    def headers(self):
        headers = {"Content-Type": "application/json"}
        if self.authorization:
            headers["Authorization"] = self.authorization
        return headers

    def connection(self, node):
        if node not in self.open:
            host, port = self.nodes[node]
            self.open[node] = http.client.HTTPConnection(host, port, timeout=60)
        return self.open[node]
