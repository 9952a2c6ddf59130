import Foundation
import KithModel
import Testing

@Suite("A body in chunks, whose length is not announced", .timeLimit(.minutes(15))) struct ChunkedBodyTests {
    private let body = Data(#"{"languages":["en"]}"#.utf8)

    /// Sends the body with spaces after it, `size` bytes altogether, in chunks of `chunk` bytes.
    private func send(size: Int, chunk: Int, token: String, on wire: Wire) throws {
        let padded = body + Data(repeating: UInt8(ascii: " "), count: size - body.count)
        var request = Data(
            """
            POST /v1/recovery-codes HTTP/1.1\r\nHost: kith\r\nAuthorization: Bearer \(token)\r\n\
            Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n
            """.utf8)
        for start in stride(from: 0, to: size, by: chunk) {
            let part = padded[start..<min(start + chunk, size)]
            request += Data("\(String(part.count, radix: 16))\r\n".utf8) + part + Data("\r\n".utf8)
        }
        try wire.send(request + Data("0\r\n\r\n".utf8))
    }

    @Test(
        "is read as a whole, and refused if it has one byte more than the limit",
        arguments: [
            (20, 1, 201), (21, 20, 201), (Limits.body, 4_096, 201), (Limits.body + 1, 4_096, 413),
        ])
    func whole(size: Int, chunk: Int, status: Int) async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            try send(size: size, chunk: chunk, token: session.token, on: wire)
            #expect(try await server.reply(on: wire).status == status)
            // The next request of the connection begins after the last chunk.
            try wire.send("GET /health HTTP/1.1\r\nHost: kith\r\n\r\n")
            #expect(try await server.reply(on: wire).status == 200)
        }
    }
}
