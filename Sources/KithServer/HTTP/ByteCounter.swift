import Foundation
import HTTPTypes
import KithModel
import NIOCore

/// Counts the bytes of one connection, and carries out the decisions of its ``ConnectionWatch``. It is the channel
/// handler next to the socket.
final class ByteCounter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Large answers are written to the socket in pieces of this size, so that their progress can be measured.
    private static let piece = 64 << 10
    /// The most bytes that are gathered until the next flush.
    private static let small = 4 << 10

    private let connections: Connections
    private var watch: ConnectionWatch
    private var context: ChannelHandlerContext?
    private var loop: LoopConnections?
    /// Whether an event stream is being answered, so that the connection needs heartbeats.
    var hasHeartbeats = false {
        didSet { if hasHeartbeats, !oldValue { watch.streamBegan() } }
    }
    /// The client that reads the answers.
    private var client: IPAddress?
    /// Small parts of answers since the last flush. They are counted and written together, before anything else is.
    private var gathered: ByteBuffer?
    /// The number of bytes that were written.
    private var written = 0
    /// The places of answers that are not written yet, each with the number of bytes that are written then.
    private var places: [(place: Gate.Place, end: Int)] = []
    /// The pending request to close the connection after the last write.
    private var closing: (mode: CloseMode, promise: EventLoopPromise<Void>)?
    /// The connection, while it is open.
    private(set) var connection: Connection?

    init(_ connections: Connections) {
        self.connections = connections
        watch = ConnectionWatch(connections.watch, at: connections.clock.uptime())
    }

    private var now: Duration { connections.clock.uptime() }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        // A refused connection is not reported to the other handlers.
        if connection != nil { context.fireChannelActive() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        loop?.remove(self)
        loop = nil
        hasHeartbeats = false
        connections.close(context.channel)
        // Running requests still refer to the connection, and give back their places when they end.
        connection = nil
        closing?.promise.succeed()
        closing = nil
        gathered = nil
        leavePlaces(upTo: .max)
        self.context = nil
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard connection == nil else { return }
        guard let connection = connections.open(context.channel) else {
            connections.closing(.refused)
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(string: Self.refusal))), promise: nil)
            context.close(promise: nil)
            return
        }
        self.connection = connection
        watch = ConnectionWatch(connections.watch, at: now)
        Self.limitKernel(context.channel)
        loop = connections.loop(context.eventLoop)
        loop?.add(self)
    }

    private static let refusal =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

    private static let goOn = "HTTP/1.1 100 Continue\r\n\r\n"

    /// Closes the connection if the client is too slow, or idle for too long.
    func look() {
        if let reason = watch.reasonToClose(at: now) { close(reason) }
    }

    /// Closes the connection, even if bytes wait to be written.
    private func close(_ reason: ClosingReason) {
        guard let context else { return }
        connections.closing(reason)
        let promise = closing?.promise
        closing = nil
        context.close(promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            // A slow reader must not delay the shutdown.
            let grace = TimeAmount(connections.shutdownGrace)
            context.eventLoop.assumeIsolated().scheduleTask(in: grace) { [weak self] in self?.close(.shutdown) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        watch.received(at: now)
        if let reason = watch.bytesCame(unwrapInboundIn(data).readableBytes) { return close(reason) }
        context.fireChannelRead(data)
    }

    func requestBegan(_ head: HTTPRequest) {
        let isFree = watch.isAnswered && watch.unwritten == 0 && gathered == nil
        watch.requestBegan(at: now)
        // A client that expects this sends the body afterwards (RFC 9110, section 10.1.1). It must not come within another
        // answer.
        if isFree, head.headerFields.value(of: .expect)?.lowercased() == "100-continue" {
            context?.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(string: Self.goOn))), promise: nil)
        }
        guard let connection else { return }
        connection.requestBegan()
        client =
            connections.client(of: connection.peer, forwarded: head.headerFields[values: .xForwardedFor]).limitedAddress
    }

    func bodyCame(_ count: Int) {
        if let reason = watch.bodyCame(count) { close(reason) }
    }

    func requestEnded() {
        watch.requestEnded()
        connection?.requestEnded()
    }

    // MARK: Answers

    func answerEnded() { watch.answerEnded(at: now) }

    /// Gives a place back when everything until now is written.
    func leaveWhenWritten(_ place: Gate.Place) {
        places.append((place, written + watch.unwritten + (gathered?.readableBytes ?? 0)))
        leavePlaces(upTo: written)
    }

    private func leavePlaces(upTo written: Int) {
        while let first = places.first, first.end <= written { places.removeFirst().place.leave() }
    }

    /// Writes a heartbeat if the connection needs it.
    ///
    /// It does not pass the handlers that write answers, because 10,000 idle streams send 500 of them a second. Those
    /// handlers send an event stream in chunks, because its head has no `Content-Length`, and write each chunk at once.
    func beat() {
        guard hasHeartbeats, let context else { return }
        write(context: context, data: wrapOutboundOut(.byteBuffer(Self.heartbeat)), promise: nil)
        flush(context: context)
    }

    /// A comment (WHATWG HTML, section 9.2) in a chunk of HTTP (RFC 9112, section 7.1).
    private static let heartbeat = ByteBuffer(string: "e\r\n: still here\n\n\r\n")

    /// Gathers small parts, such as the head and the body of most answers: counting and writing each part alone takes longer
    /// than copying it.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard promise == nil, client != nil, case .byteBuffer(var part) = unwrapOutboundIn(data),
            part.readableBytes + (gathered?.readableBytes ?? 0) <= Self.small
        else {
            writeGathered(context)
            return writeNow(context, data, promise)
        }
        if gathered == nil { gathered = part } else { gathered?.writeBuffer(&part) }
    }

    func flush(context: ChannelHandlerContext) {
        writeGathered(context)
        context.flush()
    }

    private func writeGathered(_ context: ChannelHandlerContext) {
        guard let bytes = gathered else { return }
        gathered = nil
        writeNow(context, wrapOutboundOut(.byteBuffer(bytes)), nil)
    }

    private func writeNow(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(var rest) = unwrapOutboundIn(data), rest.readableBytes > 0, let client else {
            return context.write(data, promise: promise)
        }
        let size = rest.readableBytes
        guard connections.queue(size, for: client) else {
            promise?.fail(ChannelError.eof)
            return close(.unwritten)
        }
        let reason = watch.queued(size, at: now)
        while rest.readableBytes > Self.piece, let piece = rest.readSlice(length: Self.piece) {
            context.write(wrapOutboundOut(.byteBuffer(piece)), promise: counting(Self.piece, client, context))
        }
        let last = promise ?? context.eventLoop.makePromise()
        count(rest.readableBytes, client, last)
        context.write(wrapOutboundOut(.byteBuffer(rest)), promise: last)
        if let reason { close(reason) }
    }

    private func counting(
        _ bytes: Int, _ client: IPAddress, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        count(bytes, client, promise)
        return promise
    }

    /// Stops counting bytes when they are written, or when they can no longer be written.
    private func count(_ bytes: Int, _ client: IPAddress, _ promise: EventLoopPromise<Void>) {
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in
            connections.written(bytes, for: client)
            watch.written(bytes, at: now)
            written += bytes
            leavePlaces(upTo: written)
            if watch.unwritten == 0, let closing {
                self.closing = nil
                context?.close(mode: closing.mode, promise: closing.promise)
            }
        }
    }

    /// Closes the connection after the last write, so that no answer is cut off.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input { flush(context: context) }
        guard mode != .input, watch.unwritten > 0 else { return context.close(mode: mode, promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        guard let first = closing else { return closing = (mode, promise) }
        first.promise.futureResult.cascade(to: promise)
        if mode == .all { closing = (.all, first.promise) }
    }

    /// For how many seconds a client may acknowledge nothing of what was sent to it. Then it has lost its network.
    ///
    /// With the heartbeats, a live stream of such a device ends a minute after the next heartbeat. The kernel alone would
    /// try again for a quarter of an hour.
    private static let unacknowledged: SocketOptionValue = 60

    /// Limits how long the kernel waits for a client, and the unsent bytes that it buffers: little more than the client
    /// reads, so that the client's rate can be measured.
    private static func limitKernel(_ channel: any Channel) {
        #if os(Linux)
            let notSentLowWater = NIOBSDSocket.Option(rawValue: 25)  // TCP_NOTSENT_LOWAT of linux/tcp.h
            channel.setOption(.tcpOption(notSentLowWater), value: 128 << 10).whenFailure { _ in }
            let userTimeout = NIOBSDSocket.Option(rawValue: 18)  // TCP_USER_TIMEOUT of linux/tcp.h, in milliseconds
            channel.setOption(.tcpOption(userTimeout), value: unacknowledged * 1_000).whenFailure { _ in }
        #elseif canImport(Darwin)
            let dropTime = NIOBSDSocket.Option(rawValue: 0x80)  // TCP_RXT_CONNDROPTIME of netinet/tcp.h, in seconds
            channel.setOption(.tcpOption(dropTime), value: unacknowledged).whenFailure { _ in }
        #endif
    }
}

extension HTTPField.Name {
    // The name is constant and valid.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
}
