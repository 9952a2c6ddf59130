import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The lower bound of the pages: Hummingbird, which always answers with the same redirect and the same page.
enum PlainServer {
    /// The argument that makes this program the server.
    static let argument = "plain-server"

    /// Starts the server, whose page has `bytes` bytes.
    static func start(page bytes: Int) throws -> ServerProcess { try ServerProcess(argument, String(bytes)) }

    /// Runs the server until the process is terminated.
    static func serve(page bytes: Int) async throws {
        let page = ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes)
        let router = Router(context: BasicRequestContext.self)
        router.get("redirect") { _, _ in
            Response(status: .seeOther, headers: [.location: SharedLinks.destination])
        }
        router.get("page") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"], body: ResponseBody(byteBuffer: page))
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in ServerProcess.report(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        try await application.runService()
    }
}
