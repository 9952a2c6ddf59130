package import Foundation
import Kith

/// The folder and the server of a command: from the options, else from the environment, else the defaults.
package struct CommandLocation: Hashable, Sendable {
    package private(set) var server: URL?
    package let folder: URL
    /// Whether the server was named by an option, and not by the environment.
    let isServerNamed: Bool

    /// - Throws: ``Failure`` `usage` if the server's address is invalid.
    package init(_ options: GlobalOptions, environment: [String: String]) throws {
        server = try (options.server ?? environment["KITH_SERVER"].nonEmpty).map(Self.address)
        folder = Self.folder(options.data, environment)
        isServerNamed = options.server != nil
    }

    /// The same location for an account that was last reached at `address`. The server becomes `address`, unless an
    /// option names a server.
    func leading(to address: URL?) -> CommandLocation {
        var location = self
        if !isServerNamed, let address { location.server = address }
        return location
    }

    /// A client that is pinned to one store of the folder.
    func client(of scope: AccountScope, at server: URL?) throws -> KithClient {
        var configuration = KithConfiguration(server: server, storage: .directory(folder))
        configuration.account = scope
        return try KithClient(configuration)
    }

    private static func address(_ text: String) throws -> URL {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            !(url.host() ?? "").isEmpty
        else {
            throw Failure.usage("“\(text)” is not a server's address. Write it like https://lists.example.org.")
        }
        return url
    }

    private static func folder(_ option: String?, _ environment: [String: String]) -> URL {
        if let named = option.nonEmpty ?? environment["KITH_DATA"].nonEmpty {
            return URL(filePath: named.expandingHome(environment), directoryHint: .isDirectory)
        }
        if let data = environment["XDG_DATA_HOME"].nonEmpty, data.hasPrefix("/") {
            return URL(filePath: data, directoryHint: .isDirectory).appending(path: "kith")
        }
        let home = environment["HOME"].nonEmpty ?? NSHomeDirectory()
        return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".local/share/kith")
    }
}
