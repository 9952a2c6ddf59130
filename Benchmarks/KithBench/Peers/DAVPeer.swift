import Foundation

/// A CalDAV server, whose records are to-dos. The client reads the news as RFC 6578 describes.
final class DAVPeer: SyncPeer {
    enum Program: String, CaseIterable {
        case radicale = "Radicale"
        case xandikos = "Xandikos"
    }

    let name: String
    private let process: PeerProcess
    private let connection: HTTPConnection
    private let collection: String
    /// The token of the last answer; empty before the first.
    private var token = ""

    deinit { process.stop() }

    /// Starts a server with an empty calendar; nil, with a remark, if it is not installed.
    static func start(_ program: Program, _ run: Run) throws -> DAVPeer? {
        guard let path = PeerProcess.path(of: program.rawValue.lowercased()) else {
            run.remark("\(program.rawValue) is not installed. ./bench --peers installs it.")
            return nil
        }
        return try DAVPeer(program, path, in: run.folder)
    }

    private init(_ program: Program, _ path: String, in place: URL) throws {
        name = program.rawValue
        let folder = place.appending(path: "\(program.rawValue)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = folder.appending(path: "data").path()
        let port = try FreePort.find()
        switch program {
        case .radicale:
            collection = "/ada/groceries/"
            let settings = folder.appending(path: "settings")
            let text = """
                [server]
                hosts = 127.0.0.1:\(port)
                [auth]
                type = none
                [storage]
                filesystem_folder = \(data)
                [logging]
                level = warning

                """
            try Data(text.utf8).write(to: settings)
            process = try PeerProcess([path, "--config", settings.path()], in: folder)
        case .xandikos:
            collection = "/ada/calendars/groceries/"
            process = try PeerProcess(
                [
                    path, "--directory", data, "--listen-address", "127.0.0.1", "--port", String(port),
                    "--current-user-principal", "/ada/", "--defaults",
                ], in: folder)
        }
        connection = HTTPConnection(port: port)
        try process.wait(for: port)
        try send("MKCALENDAR", collection, status: 201)
    }

    func put(_ record: PeerRecord) throws {
        try send("PUT", "\(collection)\(record.id).ics", type: "text/calendar", record.todo, status: 201)
    }

    func readNews() throws -> Int {
        let (places, next) = try news(since: token)
        token = next
        return places.count
    }

    func readAll() throws -> Int {
        let places = try news(since: "").places
        let list = places.map { "<href>\($0)</href>" }.joined()
        let answer = try report(
            """
            <?xml version="1.0"?>
            <C:calendar-multiget xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">\
            <prop><getetag/><C:calendar-data/></prop>\(list)</C:calendar-multiget>
            """)
        return answer.count(of: "BEGIN:VTODO")
    }

    /// The places of the records that have changed since a token, and the next token.
    private func news(since token: String) throws -> (places: [String], token: String) {
        let answer = try report(
            """
            <?xml version="1.0"?>
            <sync-collection xmlns="DAV:"><sync-token>\(token)</sync-token><sync-level>1</sync-level>\
            <prop><getetag/></prop></sync-collection>
            """)
        let places = answer.texts(after: "href>", upTo: "<").filter { $0.hasSuffix(".ics") }
        guard let next = answer.texts(after: "sync-token>", upTo: "<").first else {
            throw SyncDevice.Unexpected(answer)
        }
        return (places, next)
    }

    private func report(_ body: String) throws -> HTTPAnswer {
        try send("REPORT", collection, type: "application/xml", body, status: 207)
    }

    @discardableResult
    private func send(_ method: String, _ path: String, type: String? = nil, _ body: String = "", status: Int) throws
        -> HTTPAnswer
    {
        let user = Data("ada:secret".utf8).base64EncodedString()
        var fields = ["Authorization: Basic \(user)", "Depth: 1"]
        if let type { fields.append("Content-Type: \(type); charset=utf-8") }
        let answer = try connection.ask(HTTPRequest.bytes(method, path, fields, body: Data(body.utf8)))
        guard answer.status == status else { throw SyncDevice.Unexpected(answer) }
        return answer
    }
}
