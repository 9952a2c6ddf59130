import Foundation
import HTTPTypes
import Hummingbird
import KithServer
import NIOCore
import Synchronization

/// A receiver of webhooks in the test’s process. The path decides how it answers.
final class WebhookDouble: Sendable {
    struct Received: Hashable, Sendable {
        let path: String
        let id: String
        let seconds: Int64
        let signatures: [String]
        let type: String
        let body: String
    }

    private let state = Mutex<[Received]>([])

    /// The requests, in order.
    var received: [Received] { state.withLock { $0 } }

    /// Runs `body` with the address of the receiver.
    func serving(_ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
        let router = Router()
        router.post("/{answer}") { [self] request, context in
            let path = try context.parameters.require("answer")
            let body = try await request.body.collect(upTo: 1 << 16)
            note(path, request.headers, String(buffer: body))
            return try await answer(path)
        }
        try await router.serving(body)
    }

    private func note(_ path: String, _ headers: HTTPFields, _ body: String) {
        func header(_ name: String) -> String { HTTPField.Name(name).flatMap { headers[$0] } ?? "" }
        let received = Received(
            path: path, id: header("webhook-id"), seconds: Int64(header("webhook-timestamp")) ?? 0,
            signatures: header("webhook-signature").split(separator: " ").map(String.init),
            type: header("content-type"), body: body)
        state.withLock { $0.append(received) }
    }

    private func answer(_ path: String) async throws -> Response {
        switch path {
        case "down": return Response(status: .internalServerError)
        case "gone": return Response(status: .gone)
        case "elsewhere": return Response(status: .found, headers: [.location: "/taken"])
        case "large":
            return Response(
                status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x20, count: 1 << 20)))
        case "silent":
            // The receiver does not answer before the client has left.
            try await Task.sleep(for: .seconds(3_600))
            return Response(status: .ok)
        default: return Response(status: .noContent)
        }
    }
}
