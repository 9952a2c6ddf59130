import HummingbirdCore
import Logging
import NIOCore

/// Answers the requests of a connection on the thread that reads and writes it.
///
/// With Swift's shared threads, a request would change threads when it arrives and when its answer is written, which takes
/// longer than most answers. Large requests change to the threads of ``HeavyWork``, and writes to that of the database.
struct LoopChannel: ServerChildChannel {
    private let channel: HTTP1Channel

    init(_ channel: HTTP1Channel) { self.channel = channel }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        // A connection keeps the buffer for reading while it is idle. Most requests fit into one of this size; a connection
        // with larger requests gets a larger one.
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 1_024, maximum: 65_536)
        channel.setOption(.recvAllocator, value: buffers).whenFailure { _ in }
        return self.channel.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await channel.handle(value: value, logger: logger)
        }
    }
}

extension HTTPServerBuilder {
    /// Serves HTTP/1.1, each connection on its event loop and watched by a ``ConnectionGuard``.
    static func onEventLoops(guarding connections: Connections) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            LoopChannel(
                HTTP1Channel(
                    responder: responder,
                    configuration: .init(additionalChannelHandlers: [ConnectionGuard(connections)])))
        }
    }
}
