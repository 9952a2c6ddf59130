import Foundation

/// Many devices with open live streams, served by one thread, because it shares the processors with the server.
final class LiveCrowd {
    struct TooSlow: Error {}

    private(set) var devices: [LiveDevice] = []
    private let poller: SocketPoller
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

    init() throws { poller = try SocketPoller() }

    deinit { buffer.deallocate() }

    /// Opens the streams of these people, and waits until each is complete. A device with rounds has then read its list.
    func open(_ people: some Collection<LivePerson>, port: Int, hasRounds: Bool = true) throws {
        var rest = people[...]
        // The server has a queue for connections that it has not accepted yet. It must not overflow.
        while !rest.isEmpty {
            let opened = try rest.prefix(100).map { try LiveDevice($0, port: port) }
            rest = rest.dropFirst(opened.count)
            for (number, device) in opened.enumerated() {
                try poller.add(device.stream, as: (devices.count + number) * 2)
            }
            devices += opened
            try serve(while: { opened.contains { !$0.isGreeted } })
            if !hasRounds { continue }
            // The server gives its connections to its threads in turn. If a stream and a connection for rounds were opened in
            // turn too, each kind could be served by one thread.
            for (number, device) in opened.enumerated() {
                let rounds = try NonblockingSocket(port: port)
                try poller.add(rounds, as: (devices.count - opened.count + number) * 2 + 1)
                device.rounds = rounds
            }
            // The server refuses large answers if many wait for them.
            for start in stride(from: 0, to: opened.count, by: 8) {
                let few = opened[start..<min(start + 8, opened.count)]
                for device in few { try device.ask() }
                try serve(while: { few.contains(where: \.isAsking) })
            }
        }
    }

    /// Serves the devices while a condition holds.
    ///
    /// - Parameters:
    ///   - isUnfinished: Whether there is more to wait for.
    ///   - next: Does what is due, and returns when to call it again; nil if nothing will be due.
    ///   - told: Receives each event of a device's stream.
    ///   - read: Receives each time from the writing of a record to its reading by one device.
    /// - Throws: ``TooSlow`` if nothing happens for half a minute.
    func serve(
        while isUnfinished: () -> Bool, next: () throws -> ContinuousClock.Instant? = { nil },
        told: (LiveDevice, EventScanner.Event) throws -> Void = { _, _ in }, read: (Duration) -> Void = { _ in }
    ) throws {
        while isUnfinished() {
            let due = try next()
            let ready = poller.wait(until: due ?? .now + .seconds(30))
            if due == nil, ready.isEmpty { throw TooSlow() }
            for number in ready {
                let device = devices[number / 2]
                if number % 2 == 0 {
                    let bytes = try device.stream.receive(into: buffer)
                    try device.scanner.scan(bytes) { event in
                        if event == .presence { device.isGreeted = true }
                        try told(device, event)
                    }
                } else {
                    try device.receive(buffer, read)
                }
            }
        }
    }

    /// Serves the devices for some time, and returns the number of events of each kind.
    func listen(for time: Duration) throws -> [EventScanner.Event: Int] {
        let end = ContinuousClock.now + time
        var events: [EventScanner.Event: Int] = [:]
        try serve(while: { .now < end }, next: { end }, told: { _, event in events[event, default: 0] += 1 })
        return events
    }
}
