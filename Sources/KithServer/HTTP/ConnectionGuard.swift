import NIOCore
import NIOHTTPTypes

/// Watches one connection, and closes it when its client is too slow, too silent, or reads too little.
///
/// It stands where requests and answers have their parts. Where there are only bytes, beside the socket, stands its
/// ``ByteCounter``. All of it happens on the connection's event loop.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let bytes: ByteCounter

    init(_ connections: Connections) {
        bytes = ByteCounter(connections)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // It fails only where the pipeline is gone already.
        try? context.pipeline.syncOperations.addHandler(bytes, position: .first)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): bytes.requestBegan(head)
        case .body(let body): bytes.bodyCame(body.readableBytes)
        case .end: bytes.requestEnded()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        bytes.answerEnded()
        guard let place = bytes.connection?.takePlace() else { return context.write(data, promise: promise) }
        // What was written before it was written first.
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.whenComplete { _ in place.leave() }
        context.write(data, promise: promise)
    }
}
