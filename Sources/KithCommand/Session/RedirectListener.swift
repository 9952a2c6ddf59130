import Foundation
import Hummingbird
import KithServer
import Logging
import NIOCore
import ServiceLifecycle

/// Listens on 127.0.0.1, at a free port, for the browser that comes back from an issuer (RFC 8252, section 7.3).
struct RedirectListener: Sendable {
    /// The address to which the issuer sends the browser.
    let address: URL
    /// The addresses with which the browser came, each with its query. The rest of a request is ignored.
    let callbacks: AsyncStream<URL>

    /// Listens while `body` runs.
    ///
    /// - Throws: What `body` throws, or the error of the listener if it cannot listen.
    static func listening<Value: Sendable>(
        _ body: @escaping @Sendable (RedirectListener) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream<Int>.makeStream()
        // A page of this machine that sends more is not the issuer's.
        let (queries, query) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(10))
        let router = Router()
        router.get("/") { request, _ -> String in
            if let text = request.uri.query { query.yield(text) }
            // This says nothing about the result, which the command shows.
            return "You can close this page and go back to the terminal."
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) }, logger: .silent)
        let services = ServiceGroup(services: [application], logger: .silent)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                defer { port.finish() }
                try await services.run()
                return nil
            }
            group.addTask {
                guard let port = await ports.first(where: { _ in true }),
                    let address = URL(string: "http://127.0.0.1:\(port)/")
                else { return nil }
                let callbacks = AsyncStream<URL> { stream in
                    let reading = Task {
                        for await text in queries {
                            if let url = URL(string: "\(address.absoluteString)?\(text)") { stream.yield(url) }
                        }
                        stream.finish()
                    }
                    stream.onTermination = { _ in reading.cancel() }
                }
                let result: Result<Value, any Error>
                do {
                    result = .success(try await body(RedirectListener(address: address, callbacks: callbacks)))
                } catch {
                    result = .failure(error)
                }
                // The browser gets its answer first.
                await services.triggerGracefulShutdown()
                return try result.get()
            }
            var value: Value?
            while let next = try await group.next() { value = next ?? value }
            guard let value else { throw Failure(.failed, "cannotListen", "This program cannot listen on 127.0.0.1.") }
            return value
        }
    }
}
