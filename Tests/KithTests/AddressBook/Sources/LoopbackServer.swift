import Foundation

/// An HTTP server on loopback that answers each request with bytes that a test wrote.
final class LoopbackServer: Sendable {
    private let listener: ListeningSocket
    private let heads = Kept<[String]>([])

    /// What it was asked so far: the heads of the requests.
    var asked: [String] { heads.value }

    /// An address at this server.
    func url(_ path: String = "/") -> URL { URL(string: "http://\(listener.host):\(listener.port)\(path)")! }

    /// One whose `answer` is written by the test. The connection is closed afterwards, if it returns false.
    init(isIPv6: Bool = false, _ answer: @escaping @Sendable (_ head: String, Connection) -> Bool) throws {
        listener = try ListeningSocket(isIPv6: isIPv6)
        let (listener, heads) = (listener, heads)
        Thread.detachNewThread {
            while case let peer = accept(listener.descriptor, nil, nil), peer >= 0 {
                let connection = Connection(descriptor: peer)
                Thread.detachNewThread {
                    while let head = connection.head() {
                        heads.change { $0.append(head) }
                        guard answer(head, connection) else { break }
                    }
                }
            }
        }
    }

    /// One that always answers the same, and keeps connections open.
    convenience init(isIPv6: Bool = false, _ answer: String) throws {
        try self.init(isIPv6: isIPv6) { _, connection in connection.write(answer) }
    }

    deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    /// A client's connection, closed when it is not needed any more.
    final class Connection: Sendable {
        private let descriptor: Int32

        init(descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// - Returns: False if the client is gone.
        @discardableResult
        func write(_ text: String) -> Bool { write(Array(text.utf8)) }

        @discardableResult
        func write(_ bytes: [UInt8]) -> Bool {
            send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }

        /// Whether the client hangs up, or says more, within these milliseconds.
        func hearsAnything(within milliseconds: Int32) -> Bool {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&ready, 1, milliseconds) > 0
        }

        /// The head of the next request; nil if there is none. Bodies are not told apart.
        fileprivate func head() -> String? {
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
                var byte: UInt8 = 0
                guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
                head.append(byte)
            }
            return String(decoding: head, as: UTF8.self)
        }
    }
}
