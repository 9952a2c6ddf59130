#if !canImport(Darwin)
    import CCurl
    import Foundation

    /// A connection of libcurl's, through which one request goes after the other.
    final class CurlExchange: Sendable {
        // Safe: only `CCurlExchangeCancel` is called beside other functions, and that may be.
        nonisolated(unsafe) private let handle: OpaquePointer

        /// - Throws: ``KithError`` with `busy`.
        init() throws {
            guard let handle = CCurlExchangeMake() else {
                throw KithError(.busy, "The system has no memory for a connection. Try again.")
            }
            self.handle = handle
        }

        deinit { CCurlExchangeFree(handle) }

        /// Ends the request that is being performed, or the next one.
        func cancel() { CCurlExchangeCancel(handle) }

        /// Makes it ready for the next request.
        func reset() { CCurlExchangeReset(handle) }

        /// Sends a request, and waits on this thread until it was answered.
        ///
        /// - Throws: What ``DAVTransport/send(_:)`` does.
        func perform(_ request: DAVRequest, _ patience: DAVPatience) throws -> DAVResponse {
            let answer = CurlAnswer(limit: request.limit)
            let result = withExtendedLifetime(answer) {
                Self.withCRequest(request, patience) { request in
                    var request = request
                    return CCurlExchangePerform(handle, &request, answer.receiver)
                }
            }
            switch result.outcome {
            case CCurlAnswered:
                return DAVResponse(status: Int(result.status), headers: answer.headers, body: answer.body)
            case CCurlCancelled: throw CancellationError()
            case CCurlStopped where answer.isTooLong: throw KithError(tooLongAnswerTo: request)
            case CCurlTimedOut where !answer.body.isEmpty:
                throw KithError(unreachable: request.url, DAVTooSlow(cause: CurlFailure(result)))
            case CCurlUntrusted: throw KithError(untrusted: request.url, CurlFailure(result))
            default: throw KithError(unreachable: request.url, CurlFailure(result))
            }
        }

        private static func withCRequest<Result>(
            _ request: DAVRequest, _ patience: DAVPatience, _ body: (CCurlRequest) -> Result
        ) -> Result {
            var lines = request.headers.map { "\($0): \($1)" }
            if request.headers["User-Agent"] == nil { lines.append("User-Agent: Kith") }
            // A server need not be asked first whether it wants a long body.
            lines.append("Expect:")
            let copies = lines.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            let headers = copies.map { UnsafePointer($0) } + [nil]
            return request.method.withCString { method in
                request.url.absoluteString.withCString { url in
                    headers.withUnsafeBufferPointer { headers in
                        (request.body ?? Data()).withUnsafeBytes { bytes in
                            body(
                                CCurlRequest(
                                    method: method, url: url, headers: headers.baseAddress,
                                    body: request.body == nil ? nil : bytes.baseAddress ?? UnsafeRawPointer(method),
                                    body_length: bytes.count, connect_timeout: patience.connecting.milliseconds,
                                    deadline: patience.deadline(of: request).milliseconds,
                                    silence: patience.silence.components.seconds,
                                    is_direct: PasswordTrust.isLoopback(request.url)))
                        }
                    }
                }
            }
        }
    }

    /// An answer while it comes.
    private final class CurlAnswer {
        private let limit: Int
        /// By their names in small letters.
        private(set) var headers: [String: String] = [:]
        private(set) var body = Data()
        private(set) var isTooLong = false

        init(limit: Int) { self.limit = limit }

        /// Hears for this answer, which must live as long.
        var receiver: CCurlReceiver {
            CCurlReceiver(
                context: Unmanaged.passUnretained(self).toOpaque(),
                header: { context, line, length in
                    guard let context, let line else { return }
                    let text = String(decoding: UnsafeRawBufferPointer(start: line, count: length), as: UTF8.self)
                    Unmanaged<CurlAnswer>.fromOpaque(context).takeUnretainedValue().hear(header: text)
                },
                body: { context, bytes, length in
                    guard let context, let bytes else { return false }
                    let piece = UnsafeRawBufferPointer(start: bytes, count: length)
                    return Unmanaged<CurlAnswer>.fromOpaque(context).takeUnretainedValue().hear(body: piece)
                })
        }

        private func hear(header line: String) {
            // Another head begins: the one before was an interim answer, or a proxy's.
            guard !line.hasPrefix("HTTP/") else { return headers = [:] }
            guard let colon = line.firstIndex(of: ":") else { return }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }

        private func hear(body piece: UnsafeRawBufferPointer) -> Bool {
            isTooLong = piece.count > limit - body.count
            if !isTooLong { body.append(contentsOf: piece) }
            return !isTooLong
        }
    }

    /// Why libcurl had no answer, in its own words.
    struct CurlFailure: Error, CustomStringConvertible {
        let description: String

        fileprivate init(_ result: CCurlResult) {
            description = withUnsafeBytes(of: result.message) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    extension Duration {
        fileprivate var milliseconds: Int64 {
            components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        }
    }
#endif
