import Foundation
import KithModel
import NIOCore

extension ServerConfiguration {
    /// The address to reach a server at that listens at `port`.
    func url(port: Int) -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = host.contains(":") ? "[\(host)]" : host
        parts.port = port
        // A host that no URL can hold could not have been listened at.
        return parts.url ?? URL(filePath: "/")
    }

    /// Whether only this machine can reach the server.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// Why the host or the port cannot be listened at, and what to choose instead.
    func failure(_ error: any Error) -> ServerError {
        guard let error = error as? IOError else {
            return ServerError(
                .init(rawValue: "cannotListen"),
                "\(host) is no name or address that is known here. Choose another with --host.", cause: error)
        }
        return failure(error)
    }

    private func failure(_ error: IOError) -> ServerError {
        let sentence =
            switch error.errnoCode {
            case EADDRINUSE: "Port \(port) is already in use. Stop what uses it, or choose another with --port."
            case EACCES: "Port \(port) needs more rights. Choose one from 1024 with --port."
            case EADDRNOTAVAIL: "\(host) is not an address of this machine. Choose another with --host."
            default: "Cannot listen at \(host), port \(port): \(String(cString: strerror(error.errnoCode)))."
            }
        return ServerError(.init(rawValue: "cannotListen"), sentence, cause: error)
    }
}
