import Foundation

/// [Kinto](https://kinto.readthedocs.io), a JSON store with sync in Python, with its PostgreSQL backend.
final class KintoPeer: SyncPeer {
    let name = "Kinto"
    /// The default of Kinto's setting `batch_max_requests`.
    private static let batch = 25
    private static let program = ".build/bench-peers/bin/kinto"
    /// Each record has one.
    private static let mark = #""last_modified":"#
    private static let records = "/buckets/lists/collections/groceries/records"

    private let database: PostgresCluster
    private let process: PeerProcess
    private let connection: HTTPConnection
    /// The time of the last change that the client has read.
    private var since = "0"

    deinit {
        process.stop()
        database.stop()
    }

    /// Starts Kinto with an empty collection; nil, with a remark, if it is not installed.
    static func start(_ run: Run) throws -> KintoPeer? {
        let kinto = URL(filePath: program).absoluteURL.path()
        guard FileManager.default.isExecutableFile(atPath: kinto), let database = try PostgresCluster(in: run.folder)
        else {
            run.remark("Kinto or PostgreSQL is not installed. ./bench --peers installs both.")
            return nil
        }
        return try KintoPeer(kinto, database, in: run.folder)
    }

    private init(_ kinto: String, _ database: PostgresCluster, in folder: URL) throws {
        self.database = database
        let port = try FreePort.find()
        let settings = folder.appending(path: "kinto-\(port).ini")
        try Data(Self.settings(database.url, port).utf8).write(to: settings)
        try PeerProcess.run([kinto, "migrate", "--ini", settings.path()], in: folder)
        process = try PeerProcess([kinto, "start", "--ini", settings.path(), "--port", String(port)], in: folder)
        connection = HTTPConnection(port: port)
        try process.wait(for: port)
        for path in ["/buckets/lists", "/buckets/lists/collections/groceries"] {
            try send("PUT", path, #"{"data":{}}"#, status: 201)
        }
    }

    /// What `kinto init --backend postgresql` writes, with fewer log lines, and with the policy that need not check a
    /// password in the database.
    private static func settings(_ database: String, _ port: Int) -> String {
        """
        [server:main]
        use = egg:waitress#main
        host = 127.0.0.1
        port = \(port)

        [app:main]
        use = egg:kinto
        kinto.includes = kinto.plugins.default_bucket
        kinto.storage_backend = kinto.core.storage.postgresql
        kinto.storage_url = \(database)
        kinto.cache_backend = kinto.core.cache.postgresql
        kinto.cache_url = \(database)
        kinto.permission_backend = kinto.core.permission.postgresql
        kinto.permission_url = \(database)
        kinto.userid_hmac_secret = benchmark
        kinto.default_bucket_hmac_secret = benchmark
        kinto.bucket_create_principals = system.Authenticated
        multiauth.policies = basicauth

        [loggers]
        keys = root

        [handlers]
        keys = console

        [formatters]
        keys = plain

        [logger_root]
        level = WARN
        handlers = console

        [handler_console]
        class = StreamHandler
        args = (sys.stderr,)
        level = NOTSET
        formatter = plain

        [formatter_plain]
        format = %(message)s

        """
    }

    // MARK: The comparison

    func put(_ record: PeerRecord) throws {
        try send("PUT", "\(Self.records)/\(record.id)", #"{"data":\#(record.json)}"#, status: 201)
    }

    func readNews() throws -> Int {
        let answer = try send("GET", "\(Self.records)?_since=\(since)", status: 200)
        if let tag = answer.field("etag") { since = tag.filter(\.isNumber) }
        return answer.count(of: Self.mark)
    }

    func readAll() throws -> Int { try send("GET", Self.records, status: 200).count(of: Self.mark) }

    /// All records, as they are sent.
    func readBody() throws -> Data { Data(try send("GET", Self.records, status: 200).body) }

    /// Stores the records in batches.
    func store(_ records: [PeerRecord]) throws { _ = try upload(records) }

    /// Stores the records in batches of the default size. Returns the time of the requests.
    func upload(_ records: [PeerRecord]) throws -> Duration {
        var time = Samples()
        for start in stride(from: 0, to: records.count, by: Self.batch) {
            let parts = records[start..<min(start + Self.batch, records.count)].map { record in
                #"{"path":"\#(Self.records)/\#(record.id)","body":{"data":\#(record.json)}}"#
            }
            let request = Self.request(
                "POST", "/batch", #"{"defaults":{"method":"PUT"},"requests":[\#(parts.joined(separator: ","))]}"#)
            let answer = try time.time { try connection.ask(request) }
            guard answer.status == 200, answer.count(of: #""status":201"#) == parts.count else {
                throw SyncDevice.Unexpected(answer)
            }
        }
        return time.total
    }

    // MARK: Requests

    private static func request(_ method: String, _ path: String, _ body: String?) -> [UInt8] {
        let user = Data("ada:secret".utf8).base64EncodedString()
        return HTTPRequest.bytes(
            method, "/v1" + path, ["Authorization: Basic \(user)", "Content-Type: application/json"],
            body: body.map { Data($0.utf8) })
    }

    @discardableResult
    private func send(_ method: String, _ path: String, _ body: String? = nil, status: Int) throws -> HTTPAnswer {
        let answer = try connection.ask(Self.request(method, path, body))
        guard answer.status == status else { throw SyncDevice.Unexpected(answer) }
        return answer
    }
}
