import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Watches one connection, and closes it if the client sends too slowly, is idle for too long, or reads too slowly.
///
/// This handler sees the parts of requests and answers. Its ``ByteCounter`` next to the socket sees the bytes. Both
/// run on the connection's event loop.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let bytes: ByteCounter
    /// Whether the current answer is an event stream.
    private var isEventStream = false
    /// Whether the client sends nothing more, or something that is not HTTP.
    private(set) var isInputClosed = false

    init(_ connections: Connections) {
        bytes = ByteCounter(connections)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        // This fails only if the channel is already closed.
        try? pipeline.addHandler(bytes, position: .first)
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        try? pipeline.addHandler(RequestHeadGuard(bytes), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): bytes.requestBegan(head)
        case .body(let body): bytes.bodyCame(body.readableBytes)
        case .end: bytes.requestEnded()
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { isInputClosed = true }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isInputClosed = true
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isEventStream = head.headerFields.value(of: .contentType) == "text/event-stream"
            guard bytes.connection?.isHTTP10 == true else { return context.write(data, promise: promise) }
            head.headerFields[.connection] = "close"
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            // Heartbeats begin with the first event, which is the first part of the body. An answer to HEAD has none.
            bytes.hasHeartbeats = isEventStream
            return context.write(data, promise: promise)
        case .end: break
        }
        bytes.hasHeartbeats = false
        bytes.answerEnded()
        let place = bytes.connection?.takePlace()
        context.write(data, promise: promise)
        if let place { bytes.leaveWhenWritten(place) }
    }
}
