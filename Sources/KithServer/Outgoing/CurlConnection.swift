import CCurl
import Foundation
import KithModel

/// A libcurl connection to a relay, a provider, an issuer or a webhook, for one exchange at a time. It stays open between exchanges.
///
/// libcurl blocks, so each use has a thread of its own.
package final class CurlConnection: Sendable {
    // Safe: one exchange uses it at a time; only `CCurlExchangeCancel` and `CCurlExchangeHalt` are called concurrently, and
    // they are thread-safe.
    nonisolated(unsafe) private let handle: OpaquePointer

    /// - Throws: ``ServerError`` if the system has no libcurl, or no memory.
    package init() throws(ServerError) {
        guard CCurlIsAvailable() else {
            throw ServerError(.busy, "libcurl is missing. Install it: apt-get install libcurl4")
        }
        guard let handle = CCurlExchangeMake() else {
            throw ServerError(.busy, "The system has no memory for a connection.")
        }
        self.handle = handle
    }

    /// Closes the connection.
    deinit { CCurlExchangeFree(handle) }

    /// An email and the relay to which it goes.
    struct Mail: Sendable {
        let url: String
        let tls: CCurlTLS
        let authorities: String?
        let user: String?
        let password: String?
        let from: String
        let recipient: String
        let content: Data
    }

    /// The limit for connecting to the other side.
    private static let connecting = Duration.seconds(20)

    /// Sends an email, and returns what became of it.
    ///
    /// - Parameters:
    ///   - mail: The email.
    ///   - deadline: The limit until the relay has the whole email.
    ///   - patience: The limit for its reply after that.
    /// - Returns: The result.
    func send(_ mail: Mail, within deadline: Duration, and patience: Duration) async -> CCurlMailResult {
        await onThread { handle in
            defer { CCurlExchangeReset(handle) }
            let texts = [mail.url, mail.authorities, mail.user, mail.password, mail.from, mail.recipient]
            let copies = texts.map { text in text.flatMap { strdup($0) } }
            defer { for copy in copies { free(copy) } }
            return mail.content.withUnsafeBytes { bytes in
                var letter = CCurlMail(
                    url: UnsafePointer(copies[0]), tls: mail.tls, authorities: UnsafePointer(copies[1]),
                    user: UnsafePointer(copies[2]), password: UnsafePointer(copies[3]),
                    from: UnsafePointer(copies[4]), recipient: UnsafePointer(copies[5]),
                    content: bytes.bindMemory(to: CChar.self).baseAddress, content_length: bytes.count,
                    connect_timeout: Self.connecting.milliseconds, deadline: deadline.milliseconds,
                    patience: patience.milliseconds)
                return CCurlExchangeSendMail(handle, &letter)
            }
        }
    }

    /// Ends the current email, or the next one if there is none, unless the relay has the whole of it.
    func halt() { CCurlExchangeHalt(handle) }

    /// The answer to a request.
    struct Reply: Sendable {
        let result: CCurlResult
        let body: Data
    }

    /// Sends a body with POST, or a request with GET if there is none. An answer of more than 64 KiB ends the exchange.
    func send(
        _ body: Data?, to url: String, headers: [String], reaching reach: AddressReach = .everywhere,
        within deadline: Duration
    ) async -> Reply {
        await onThread { handle in
            defer { CCurlExchangeReset(handle) }
            let copies = ([url, body == nil ? "GET" : "POST"] + headers).map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            let lines = copies.dropFirst(2).map { UnsafePointer($0) } + [nil]
            let answer = AnswerBytes()
            let result = lines.withUnsafeBufferPointer { lines in
                (body ?? Data()).withUnsafeBytes { bytes in
                    var request = CCurlRequest(
                        method: copies[1], url: copies[0], headers: lines.baseAddress,
                        body: body == nil ? nil : bytes.baseAddress ?? UnsafeRawPointer(copies[0]),
                        body_length: bytes.count,
                        connect_timeout: Self.connecting.milliseconds, deadline: deadline.milliseconds,
                        silence: deadline.components.seconds, is_direct: reach != .everywhere, digest_user: nil,
                        digest_password: nil, permits: reach.permits)
                    return withExtendedLifetime(answer) { CCurlExchangePerform(handle, &request, answer.receiver) }
                }
            }
            return Reply(result: result, body: answer.bytes)
        }
    }

    private func onThread<Value: Sendable>(_ work: @escaping @Sendable (OpaquePointer) -> Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in continuation.resume(returning: work(handle)) }
            }
        } onCancel: {
            CCurlExchangeCancel(handle)
        }
    }
}

/// The beginning of an answer's body.
private final class AnswerBytes {
    private(set) var bytes = Data()

    var receiver: CCurlReceiver {
        CCurlReceiver(
            context: Unmanaged.passUnretained(self).toOpaque(), header: { _, _, _ in },
            body: { context, bytes, length in
                guard let context, let bytes else { return false }
                let answer = Unmanaged<AnswerBytes>.fromOpaque(context).takeUnretainedValue()
                guard answer.bytes.count + length <= 64 << 10 else { return false }
                answer.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
                return true
            })
    }
}

extension String {
    /// The text in an array of C, up to its first zero.
    init<Characters>(ofC characters: Characters) {
        self = withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
