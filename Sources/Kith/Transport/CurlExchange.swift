#if !canImport(Darwin)
    import CCurl
    import Foundation
    import KithModel

    /// A libcurl connection, which performs one request after another.
    final class CurlExchange: Sendable {
        // Safe because only `CCurlExchangeCancel` is called concurrently, and it is thread-safe.
        nonisolated(unsafe) private let handle: OpaquePointer

        /// - Throws: ``CurlFailure`` if the system has no libcurl; ``KithError`` with `busy` if it has no memory.
        init() throws {
            guard CCurlIsAvailable() else { throw CurlFailure.noLibrary }
            guard let handle = CCurlExchangeMake() else {
                throw KithError(.busy, "The system has no memory for a connection. Try again.")
            }
            self.handle = handle
        }

        deinit { CCurlExchangeFree(handle) }

        /// Cancels the current request or, if there is none, the next one.
        func cancel() { CCurlExchangeCancel(handle) }

        /// Resets the handle for the next request.
        func reset() { CCurlExchangeReset(handle) }

        /// Sends a request, and blocks this thread until the answer is complete.
        ///
        /// - Throws: The errors of ``CurlClient/perform(_:_:)``.
        func perform(_ request: CurlRequest, _ listener: @escaping CurlClient.Listener) throws -> CurlHead {
            let answer = CurlAnswer(listener)
            let result = withExtendedLifetime(answer) {
                Self.withCRequest(request) { request in
                    var request = request
                    return CCurlExchangePerform(handle, &request, answer.receiver)
                }
            }
            switch result.outcome {
            case CCurlAnswered: return answer.head
            case CCurlCancelled: throw CancellationError()
            case CCurlStopped: throw CurlFailure(.stopped, answer, result)
            case CCurlTimedOut: throw CurlFailure(.timedOut, answer, result)
            case CCurlUntrusted: throw CurlFailure(.untrusted, answer, result)
            case CCurlUnknownHost: throw CurlFailure(.unknownHost, answer, result)
            case CCurlTLSFailed: throw CurlFailure(.tlsFailed, answer, result)
            default: throw CurlFailure(.other, answer, result)
            }
        }

        private static func withCRequest<Result>(_ request: CurlRequest, _ body: (CCurlRequest) -> Result) -> Result {
            var lines = request.headers.map { "\($0): \($1)" }
            if request.headers["User-Agent"] == nil { lines.append("User-Agent: Kith") }
            // An empty `Expect` header stops libcurl from asking for permission before it sends a long body.
            lines.append("Expect:")
            let copies = lines.map { strdup($0) }
            let signing = [request.digest?.user, request.digest?.password].map { text in text.flatMap { strdup($0) } }
            defer { for copy in signing { free(copy) } }
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
                                    body_length: bytes.count, connect_timeout: request.connecting.milliseconds,
                                    deadline: request.deadline?.milliseconds ?? 0,
                                    silence: request.silence.components.seconds, is_direct: request.isDirect,
                                    digest_user: UnsafePointer(signing[0]),
                                    digest_password: UnsafePointer(signing[1]), permits: nil))
                        }
                    }
                }
            }
        }
    }

    /// An answer while it arrives.
    private final class CurlAnswer {
        private let listener: CurlClient.Listener
        private(set) var head = CurlHead()
        private(set) var hasBegun = false

        init(_ listener: @escaping CurlClient.Listener) { self.listener = listener }

        /// The callbacks for this answer. The answer must outlive them.
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
            // A new head begins. The previous one was an interim answer or came from a proxy.
            if line.hasPrefix("HTTP/") {
                let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) }
                return head = CurlHead(status: status ?? 0)
            }
            guard let colon = line.firstIndex(of: ":") else { return }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
            head.headers[name] = head.headers[name].map { "\($0), \(value)" } ?? value
        }

        private func hear(body piece: UnsafeRawBufferPointer) -> Bool {
            hasBegun = true
            return listener(head, piece)
        }
    }

    extension CurlFailure {
        fileprivate init(_ reason: Reason, _ answer: CurlAnswer, _ result: CCurlResult) {
            self.reason = reason
            head = answer.head
            hadBegun = answer.hasBegun
            description = withUnsafeBytes(of: result.message) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }
#endif
