import NIOCore
import NIOHTTPTypes

/// Keeps the connection of a stream open without the task of its request, and notices when the reader disconnects.
///
/// The task that serves a connection closes it at its end. This handler stops that close, so that the task can end while
/// the stream goes on. Later, ``StreamWriter`` closes the connection, or ``ByteCounter`` if the client reads too slowly or
/// sends too much.
final class EventStreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart

    private let writer: StreamWriter

    private init(_ writer: StreamWriter) { self.writer = writer }

    /// Begins a stream on its connection, which stays open from now on. It runs on the event loop of the connection.
    static func begin(_ writer: StreamWriter, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let connection = try pipeline.handler(type: ConnectionGuard.self)
        try pipeline.addHandler(EventStreamHandler(writer), position: .after(connection))
        writer.begin()
        if connection.isInputClosed { writer.readerLeft() }
    }

    // MARK: Reading

    // The task that has asked for more bytes ends. Reading goes on, so that the end of the connection is noticed.
    func handlerAdded(context: ChannelHandlerContext) { context.read() }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        context.read()
    }

    /// Ignores what the client sends after its request. ``ByteCounter`` closes the connection if it is too much.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { writer.readerLeft() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        writer.readerLeft()
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        writer.readerLeft()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { writer.readerLeft() }

    // MARK: Closing

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input, !writer.isEnded else { return context.close(mode: mode, promise: promise) }
        // The task waits for this close before it ends.
        promise?.succeed()
    }
}
