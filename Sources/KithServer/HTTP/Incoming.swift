import Foundation
import HTTPTypes
import Hummingbird
import KithModel
import NIOCore

/// An HTTP request as it arrived. ``Call`` adds the API that answers it.
struct Incoming: Sendable {
    let method: HTTPRequest.Method
    /// The path, with its escapes.
    let path: String
    /// The host and port to which the client has sent the request.
    let authority: String?
    let headers: HTTPFields
    let query: String?
    /// The address of the client, according to the trusted proxies in between.
    let address: IPAddress
    let body: RequestBody
    /// Whether the whole body has arrived with the head, as a small body does.
    let isWhole: Bool
    /// The memory that the body uses until the request is answered.
    let room: BodyRoom
    /// How long the body may take to arrive.
    let bodyTime: Duration
    /// Whether the client speaks HTTP/1.0, which has no chunks.
    let isHTTP10: Bool

    /// The token of `Authorization: Bearer …`; nil if there is none.
    var token: String? {
        guard let field = headers.value(of: .authorization)?.utf8,
            zip(field, "bearer ".utf8).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        // By its bytes, because every request has one.
        let token = field.dropFirst("bearer ".utf8.count).drop { $0 == UInt8(ascii: " ") }
        return token.isEmpty ? nil : String(Substring(token))
    }

    /// Whether the client accepts gzip (RFC 9110, section 12.5.3).
    var acceptsGzip: Bool {
        let codings = WeightedList.values(of: headers.value(of: .acceptEncoding), limit: 50)
        return codings.first { ["gzip", "x-gzip"].contains($0.value.lowercased()) }.map { $0.weight > 0 } ?? false
    }

    /// Whether the client has the answer with this entity tag already (RFC 9110, section 13.1.2).
    func has(_ tag: String) -> Bool {
        let tags: [String] = headers[values: .ifNoneMatch].flatMap { field in
            field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return tags.contains("*") || tags.contains(tag) || tags.contains("W/\(tag)")
    }

    /// Whether the client prefers a web page to JSON.
    var prefersHTML: Bool { AcceptedTypes(headers[.accept]).prefersHTML }

    /// Whether the client prefers a minimal answer.
    var prefersMinimal: Bool { Preferences(headers).wantsMinimal }

    /// A parameter of the query that must occur once and be a UUID.
    func identifier<Record>(_ name: String) throws(ServerError) -> RecordID<Record> {
        guard let value = try parameter(name) else {
            throw ServerError(.malformed, "The query's “\(name)” is missing.", path: "?\(name)")
        }
        guard let id = RecordID<Record>(value) else {
            throw ServerError(.malformed, "The query's “\(name)” is not one UUID.", path: "?\(name)")
        }
        return id
    }

    /// A parameter of the query, without its escapes; nil if it is missing. It must not occur twice.
    func parameter(_ name: String) throws(ServerError) -> String? {
        guard let query, !query.isEmpty else { return nil }
        let values = query.split(separator: "&")
            .map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            .filter { $0.first == name[...] }
        guard let value = values.first else { return nil }
        guard values.count == 1, value.count == 2, let text = Self.unescaped(value[1]) else {
            throw ServerError(
                .malformed, "The query's “\(name)” is not one text in UTF-8 with its escapes.", path: "?\(name)")
        }
        return text
    }

    /// A value of a query without its escapes; nil if it is not UTF-8. Most values have none.
    private static func unescaped(_ value: Substring) -> String? {
        if value.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "%") }) { return String(value) }
        return value.replacing("+", with: " ").removingPercentEncoding
    }

    /// Reads the body, which must be JSON of at most ``Limits/body`` bytes, compressed and expanded. It must arrive
    /// within ``bodyTime``, because the request holds a place while the server waits.
    ///
    /// A large body waits in the queue of large requests before it is decoded. `charge` counts the work for its expanded
    /// bytes: a few bytes can expand to a thousand times as many, and few mutations can store many bytes.
    func read<Value: Decodable & Sendable>(
        _ type: Value.Type, in scheduler: some WorkScheduler, charge: (Int) -> Void
    ) async throws -> Value {
        guard mediaType == "application/json" else {
            throw ServerError(.malformed, "The body's Content-Type is not application/json. Send JSON, and say so.")
        }
        let body = try await bytes(upTo: Limits.body, else: .tooLarge)
        if body.count <= Self.smallBody, let expanded = try expand(body, upTo: Self.smallBody) {
            return try JSONBody.decode(type, from: expanded)
        }
        return try await scheduler.run(WorkUnits.bytes(body.count), goesOn: false) {
            guard let expanded = try expand(body, upTo: Limits.body) else { throw ServerError.tooLarge }
            charge(WorkUnits.bytes(expanded.count))
            return try JSONBody.decode(type, from: expanded)
        }
    }

    /// The maximum size of an expanded body that is decoded without waiting.
    private static let smallBody = 32 << 10

    /// The bytes of the body, as they were sent.
    ///
    /// - Throws: `tooLarge` if there are more than `limit`.
    func bytes(upTo limit: Int, else tooLarge: ServerError) async throws -> Data {
        // A body without a length takes the room of the largest body. A length that is not an `Int` is too large.
        let length = headers.value(of: .contentLength).map { Int($0) ?? .max } ?? limit
        if length > limit { throw tooLarge }
        try room.take(length)
        do {
            return Data(try await collected(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch let error as ServerError {
            throw error
        } catch is CancellationError {
            throw ServerError.closing
        } catch {
            // The client has disconnected, so nobody receives this error.
            throw ServerError(.malformed, "The body ended early.", path: "$", cause: error)
        }
    }

    private func collected(upTo limit: Int) async throws -> ByteBuffer {
        if isWhole { return try await joined(upTo: limit) }
        return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await joined(upTo: limit) }
            group.addTask {
                try await Task.sleep(for: bodyTime)
                throw ServerError.tooSlow
            }
            return try await group.next() ?? ByteBuffer()
        }
    }

    /// The parts of the body as one. Most bodies have one part, which NIO's `collect(upTo:)` would copy.
    private func joined(upTo limit: Int) async throws -> ByteBuffer {
        var parts = body.makeAsyncIterator()
        var joined = ByteBuffer()
        while var part = try await parts.next() {
            let isShort = part.readableBytes <= limit - joined.readableBytes
            guard isShort else { throw NIOTooManyBytesError(maxBytes: limit) }
            if joined.readableBytes == 0 { joined = part } else { joined.writeBuffer(&part) }
        }
        return joined
    }

    /// Whether the body is as its type says: not compressed, or encoded in another way (RFC 9110, 8.4).
    var isUnencoded: Bool { [nil, "identity"].contains(headers[.contentEncoding]) }

    /// The type of the body, in lower case and without parameters.
    var mediaType: String? {
        let field = headers.value(of: .contentType)
        // Almost every body has this type.
        guard let field, field != "application/json" else { return field }
        return field.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The expanded body; nil if it has more bytes than `limit`.
    private func expand(_ data: Data, upTo limit: Int) throws(ServerError) -> Data? {
        switch headers.value(of: .contentEncoding)?.trimmingCharacters(in: .whitespaces).lowercased() {
        case nil, "identity": return data
        case "gzip", "x-gzip":
            do {
                return try Gzip.expand(data, limit: limit)
            } catch {
                switch error {
                case .tooLarge: return nil
                case .damaged:
                    throw ServerError(.malformed, "The body is not well-formed gzip, or not all of it.", path: "$")
                case .trailing:
                    throw ServerError(
                        .malformed,
                        "There are bytes after the end of the gzip data. Compress the body once, as a whole.",
                        path: "$")
                }
            }
        default:
            throw ServerError(.malformed, "The body's Content-Encoding is unknown. Send it plain, or with gzip.")
        }
    }
}

extension ServerError {
    fileprivate static let tooLarge = ServerError(
        .tooLarge, "The body is larger than \(Limits.body / 1024) KiB. Send fewer mutations at once.")
    fileprivate static let tooSlow = ServerError(
        .tooSlow, "The body took too long to arrive. Send fewer mutations at once, or try again on a better network.")
}
