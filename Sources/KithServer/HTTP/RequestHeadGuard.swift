import NIOCore
import NIOHTTP1
import TextEncodings

/// Checks the head of each request while it still has its version and all of its `Host` fields, which the types of the
/// later handlers do not have, and before any of its texts is compared.
///
/// - A request of HTTP/1.1 without `Host`, and any request with several, is refused like one that is not HTTP: with 400
///   (RFC 9112, section 3.2). So is one with too many combining marks in a row (`StreamSafeText`).
/// - A client of HTTP/1.0 gets one answer, without `100 Continue` before it, and then the connection is closed.
final class RequestHeadGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let bytes: ByteCounter
    /// Whether a request was refused. Nothing more is read then.
    private var isRefused = false

    init(_ bytes: ByteCounter) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let hosts = head.headers.count { $0.name.utf8.count == 4 && $0.name.lowercased() == "host" }
        let isHTTP10 = (head.version.major, head.version.minor) < (1, 1)
        guard hosts == 1 || hosts == 0 && isHTTP10, Self.isStreamSafe(head) else {
            isRefused = true
            return context.fireErrorCaught(HTTPParserError.unknown)
        }
        guard isHTTP10 else { return context.fireChannelRead(data) }
        bytes.connection?.noteHTTP10()
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        head.headers.remove(name: "Expect")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether the target, also without its escapes, and the header fields have no long run of combining marks.
    private static func isStreamSafe(_ head: HTTPRequestHead) -> Bool {
        StreamSafeText.accepts(head.uri) && head.headers.allSatisfy { StreamSafeText.accepts($0.value) }
            && (head.uri.utf8.count <= shortTarget
                || StreamSafeText.accepts(
                    String(decoding: HexCodes.percent.decoded(ArraySlice(head.uri.utf8)), as: UTF8.self)))
    }

    /// The number of bytes of a target whose escapes cannot hide so many marks. Each has six bytes or more.
    private static let shortTarget = 6 * StreamSafeText.most
}
