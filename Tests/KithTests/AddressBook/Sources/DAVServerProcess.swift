import Foundation
import Processes
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A CardDAV server that others have written, in a process of its own.
final class DAVServerProcess: Sendable {
    enum Program: String {
        case radicale, xandikos

        /// Where it is installed; nil if it is not.
        var path: URL? {
            let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
            return folders.map { URL(filePath: String($0)).appending(path: rawValue) }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        }
    }

    struct DidNotStart: Error { let words: String }

    let program: Program
    let folder: URL
    let port: Int
    private let process = Mutex<ChildProcess?>(nil)

    var url: URL { URL(string: "http://127.0.0.1:\(port)/")! }

    /// The book that tests use.
    var book: String {
        switch program {
        case .radicale: "/ada/friends/"
        case .xandikos: "/ada/contacts/addressbook/"
        }
    }

    init(_ program: Program, folder: URL) throws {
        (self.program, self.folder) = (program, folder)
        port = try FreePort.find()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Starts it, and waits until it answers.
    func start() async throws {
        let log = folder.appending(path: "server.log")
        let process = try await ChildProcess(try #require(program.path), arguments(), complaints: log)
        self.process.withLock { $0 = process }
        while try await send("PROPFIND", book) == nil {
            guard process.isRunning else { throw DidNotStart(words: try String(contentsOf: log, encoding: .utf8)) }
            try await Task.sleep(for: .milliseconds(20))
        }
        // Another program that has the port would answer, too.
        guard process.isRunning else { throw DidNotStart(words: try String(contentsOf: log, encoding: .utf8)) }
        if program == .radicale, try await send("PROPFIND", book) == 404 { try await makeBook() }
    }

    /// Kills it, and waits until it is gone.
    func stop() async {
        let process = process.withLock { process in
            defer { process = nil }
            return process
        }
        await process?.killed()
    }

    /// What another program sends.
    ///
    /// - Returns: The status; nil if there was no answer.
    @discardableResult
    func send(_ method: String, _ path: String, _ body: [UInt8]? = nil, type: String = "text/vcard") async throws
        -> Int?
    {
        var request = URLRequest(url: URL(string: "http://127.0.0.1:\(port)\(path)")!)
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        request.setValue("Basic " + Data("ada:secret".utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        guard let (_, response) = try? await URLSession.shared.data(for: request) else { return nil }
        return (response as? HTTPURLResponse)?.statusCode
    }

    private func makeBook() async throws {
        let body = """
            <?xml version="1.0"?>
            <mkcol xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><set><prop>
            <resourcetype><collection/><C:addressbook/></resourcetype><displayname>Friends</displayname>
            </prop></set></mkcol>
            """
        guard try await send("MKCOL", book, Array(body.utf8), type: "application/xml") == 201 else {
            throw DidNotStart(words: "It makes no address book.")
        }
    }

    private func arguments() throws -> [String] {
        switch program {
        case .radicale:
            let users = folder.appending(path: "users")
            try Data("ada:secret\n".utf8).write(to: users)
            let configuration = folder.appending(path: "configuration")
            let text = """
                [server]
                hosts = 127.0.0.1:\(port)
                [auth]
                type = htpasswd
                htpasswd_filename = \(users.path)
                htpasswd_encryption = plain
                delay = 0
                [storage]
                filesystem_folder = \(folder.appending(path: "data").path)
                [logging]
                level = warning
                """
            try Data(text.utf8).write(to: configuration)
            return ["--config", configuration.path]
        case .xandikos:
            return [
                "--directory", folder.appending(path: "data").path, "--listen-address", "127.0.0.1", "--port",
                String(port), "--current-user-principal", "/ada/", "--defaults",
            ]
        }
    }
}

/// A socket on loopback that others can connect to, and that answers nothing.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let host: String
    let port: Int

    struct NoPort: Error {}

    init(isIPv6: Bool = false) throws {
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        host = isIPv6 ? "[::1]" : "127.0.0.1"
        let descriptor = descriptor
        // Both kinds of address have the port at the same place.
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(isIPv6 ? AF_INET6 : AF_INET)
        address.sin6_addr = in6addr_loopback
        var length = socklen_t(isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            if !isIPv6 {
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    $0.pointee.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                }
            }
            return address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin6_port))
        guard isListening else { throw NoPort() }
    }

    deinit { close(descriptor) }

    /// Returns when someone has connected.
    func accepted() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in
                _ = accept(descriptor, nil, nil)
                continuation.resume()
            }
        }
    }
}
