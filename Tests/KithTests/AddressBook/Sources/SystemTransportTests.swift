import Foundation
import Kith
import KithAddressBook
import Processes
import Testing

/// How requests really go out, against servers that answer what nobody should.
@Suite("Real HTTP to WebDAV servers", .timeLimit(.minutes(15))) struct SystemTransportTests {
    private func get(_ url: URL, limit: Int = 1_000) -> DAVRequest {
        DAVRequest(method: "GET", url: url, headers: ["Accept": "text/vcard"], limit: limit)
    }

    @Test(
        "Trap: a redirect to an IPv6 address crashes the program – it is an ordinary answer",
        arguments: ["//[::1]:7831/", "http://[::1]:1/", "//[::1", "http://", "https://:99999/", "\u{1}", ""])
    func oddRedirect(location: String) async throws {
        let server = try LoopbackServer("HTTP/1.1 301 Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        let answer = try await SystemDAVTransport().send(get(server.url()))
        #expect(answer.status == 301)
        #expect(server.asked.count == 1)
        let source = try Account(server.url(), SystemDAVTransport()).open()
        #expect(await code { _ = try await source.contents() } != nil)
    }

    @Test("An IPv6 address is reached") func ipv6() async throws {
        let server = try LoopbackServer(isIPv6: true, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nAda")
        let answer = try await SystemDAVTransport().send(get(server.url()))
        #expect(answer.status == 200 && answer.body == Data("Ada".utf8))
    }

    @Test(
        "An answer that trickles in is aborted at the deadline, earlier if a smaller request is possible",
        arguments: [DAVRequest.Extent.whole, .cards, .card])
    func drips(extent: DAVRequest.Extent) async throws {
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while !connection.hearsAnything(within: 10), connection.write("x") {}
            return false
        }
        var timeouts = DAVTimeouts()
        switch extent {
        case .whole: timeouts.whole = .milliseconds(200)
        case .cards: timeouts.cards = .milliseconds(200)
        case .card: timeouts.card = .milliseconds(200)
        }
        let transport = SystemDAVTransport(timeouts: timeouts)
        var request = get(server.url(), limit: 1_000_000)
        request.extent = extent
        let sent = request
        #expect(await code { _ = try await transport.send(sent) } == .offline)
    }

    @Test("A request with a wrong password is answered, and so is the next one") func challenge() async throws {
        let server = try LoopbackServer(
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nNo")
        let transport = SystemDAVTransport()
        for _ in 0..<2 {
            let answer = try await transport.send(get(server.url()))
            #expect(answer.status == 401 && answer.body == Data("No".utf8))
            #expect(answer.headers["www-authenticate"] == "Basic realm=\"x\"")
        }
        #expect(server.asked.count == 2)
    }

    @Test("A server that accepts only Digest gets Digest, and the password is not sent") func digest()
        async throws
    {
        let server = try LoopbackServer { head, connection in
            // RFC 2069: of ada, books, secret, abc, GET and /.
            let isSigned = head.contains("response=\"b6e4157032cdde339ce27406f644f996\"")
            if isSigned { return connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nAda") }
            let challenge = "WWW-Authenticate: Digest realm=\"books\", nonce=\"abc\""
            return connection.write("HTTP/1.1 401 No\r\n\(challenge)\r\nContent-Length: 2\r\n\r\nNo")
        }
        var request = get(server.url())
        for (password, status) in [("secret", 200), ("wrong", 401), ("secret", 200)] {
            request.digest = DAVRequest.Digest(user: "ada", password: password)
            #expect(try await SystemDAVTransport().send(request).status == status)
        }
        #expect(server.asked.allSatisfy { !$0.contains("secret") && !$0.contains("Basic") })
    }

    @Test("A body is sent unchanged, and the head of an interim answer is discarded") func body() async throws {
        let server = try LoopbackServer { head, connection in
            connection.write("HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n")
            connection.write("HTTP/1.1 207 Multi\r\nX-Two: a\r\nX-Two: b\r\nContent-Length: \(head.utf8.count)\r\n\r\n")
            connection.write(head)
            return false
        }
        let request = DAVRequest(
            method: "PROPFIND", url: server.url("/a%20b/"), headers: ["Depth": "1", "Content-Type": "application/xml"],
            body: Data("<propfind/>".utf8), limit: 1_000)
        let answer = try await SystemDAVTransport().send(request)
        let head = String(decoding: answer.body, as: UTF8.self)
        #expect(head.hasPrefix("PROPFIND /a%20b/ HTTP/1.1\r\n"))
        for line in ["Depth: 1", "Content-Type: application/xml", "Content-Length: 11"] {
            #expect(head.contains("\r\n\(line)\r\n"))
        }
        #expect(answer.headers["x-interim"] == nil && answer.headers["x-two"] == "a, b")
    }

    @Test("An incomplete answer is an error, and a missing server is offline") func half() async throws {
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nAda")
            return false
        }
        #expect(await code { _ = try await SystemDAVTransport().send(get(server.url())) } == .offline)
        let nobody = try #require(URL(string: "http://127.0.0.1:1/"))
        #expect(await code { _ = try await SystemDAVTransport().send(get(nobody)) } == .offline)
    }

    @Test("An answer is decompressed, and the limit applies to the decompressed size") func decompressed() async throws
    {
        // A hundred thousand zeros.
        let middle = String(repeating: "A", count: 128)
        let packed = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0Po" + middle + "IBXA32VEdSghgEA"))
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
            return connection.write([UInt8](packed))
        }
        let transport = SystemDAVTransport()
        #expect(try await transport.send(get(server.url(), limit: 100_000)).body == Data(count: 100_000))
        #expect(await code { _ = try await transport.send(get(server.url(), limit: 99_999)) } == .tooMany)
    }

    @Test(
        "Nothing is sent to a server with an untrusted certificate", .enabled(if: OpenSSL.path != nil))
    func untrusted() async throws {
        let folder = TemporaryFolder()
        let server = try await OpenSSL.server(in: folder.url)
        let transport = SystemDAVTransport()
        var told: KithError.Code?
        // Until it listens.
        repeat { told = await code { _ = try await transport.send(get(server.url)) } } while told == .offline
        #expect(told == .refused)
        await server.process.killed()
    }
}

/// OpenSSL's own server, with a certificate that it has signed itself.
private enum OpenSSL {
    /// Where it is installed; nil if it is not.
    static var path: URL? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { URL(filePath: String($0)).appending(path: "openssl") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    static func server(in folder: URL) async throws -> (process: ChildProcess, url: URL) {
        let (key, certificate) = (
            folder.appending(path: "key.pem").path, folder.appending(path: "certificate.pem").path
        )
        let openssl = try #require(path)
        _ = try await FinishedProcess(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
            ])
        let port = try FreePort.find()
        let process = try await ChildProcess(
            openssl, ["s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate, "-www"],
            complaints: nil)
        return (process, URL(string: "https://127.0.0.1:\(port)/")!)
    }
}
