import Foundation
import Hummingbird
import KithServer
import Logging
import NIOCore
import ServiceLifecycle

/// Listens at a free port of 127.0.0.1 for the browser that an issuer redirects (RFC 8252, section 7.3).
struct RedirectListener: Sendable {
    /// The address to which the issuer redirects the browser.
    let address: URL
    /// The addresses that the browser has requested, each with its query. The rest of a request is ignored.
    let callbacks: AsyncStream<URL>

    /// Listens while `body` runs.
    ///
    /// - Throws: What `body` throws, or the error of the listener if it cannot listen.
    static func listening<Value: Sendable>(
        _ body: @escaping @Sendable (RedirectListener) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream<Int>.makeStream()
        // The issuer redirects once. The limit protects the memory from another program that sends many requests.
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
                // A graceful shutdown, so that the browser receives its response first.
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
