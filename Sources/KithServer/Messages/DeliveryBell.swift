/// Wakes the delivery of each channel.
package struct DeliveryBell: Sendable {
    private let bells: [OutgoingMessage.Channel: (stream: AsyncStream<Void>, ring: AsyncStream<Void>.Continuation)]

    package init() {
        let pairs = OutgoingMessage.Channel.allCases.map { channel in
            let (stream, ring) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            return (channel, (stream: stream, ring: ring))
        }
        bells = Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Wakes all channels. A channel that is busy looks again when it is done.
    package func ring() { for bell in bells.values { bell.ring.yield() } }

    /// Ends the delivery.
    func end() { for bell in bells.values { bell.ring.finish() } }

    /// Receives an element for each ``ring()``. Each stream has one reader.
    package func stream(_ channel: OutgoingMessage.Channel) -> AsyncStream<Void> {
        bells[channel]?.stream ?? AsyncStream { $0.finish() }
    }
}
