"""The live stream of a device."""

import http.client
import socket


class Stream:
    """The lines of a live stream, until somebody calls `end`."""

    def __init__(self, address, path, authorization):
        # A comment arrives every 20 seconds, so a silent minute is an error.
        self.connection = http.client.HTTPConnection(*address, timeout=60)
        self.connection.request("GET", path, headers={"Authorization": authorization})
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        self.has_ended = False
        if self.answer.status != 200:
            raise OSError(f"The live stream was refused with {self.answer.status}.")

    def lines(self):
        try:
            yield from self.answer
        except (OSError, ValueError, http.client.HTTPException):
            if not self.has_ended:
                raise

    def end(self):
        self.has_ended = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
