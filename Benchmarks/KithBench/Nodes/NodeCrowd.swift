import Foundation
import KithModel

/// The people whose devices push and sync: some with a list of their own, and those who share one list.
///
/// A device has no connection of its own. It can go on at any node, as behind a load balancer.
final class NodeCrowd {
    /// A person with one device and one list.
    final class Person {
        let device: SyncDevice
        let list: FeedID
        private var edits: Int

        init(_ device: SyncDevice, _ list: FeedID, edits: Int) {
            (self.device, self.list, self.edits) = (device, list, edits)
        }

        /// The request of a push with one new item.
        func push() -> [UInt8] {
            edits += 1
            return device.request(device.items(edits..<(edits + 1), in: list))
        }
    }

    /// The items of a list when a person has made it.
    static let items = 20

    private(set) var alone: [Person] = []
    private(set) var together: [Person] = []

    // MARK: Filling

    /// Adds people with a list of their own.
    func addPeople(_ count: Int, port: Int) throws {
        for _ in 0..<count { alone.append(try Self.author(port: port)) }
    }

    /// Adds people who share one list.
    func addMembers(_ count: Int, port: Int) throws {
        let owner = try Self.author(port: port)
        together.append(owner)
        let link = try Self.ask(
            "/v1/lists/\(owner.list)/links", JSONEncoder().encode(LinkRequest(role: .editor)), as: owner.device)
        guard let token = try? JSONDecoder().decode(ListLink.self, from: Data(link.body)).token else {
            throw SyncDevice.Unexpected(link)
        }
        for _ in 1..<count {
            let device = try SyncDevice(port: port)
            try Self.ask("/v1/links/\(token)/accept", Data("{}".utf8), as: device)
            try device.catchUp()
            // The first push of a device makes its row, which later ones find.
            try device.sync(device.items(0..<1, in: owner.list))
            device.connection.close()
            together.append(Person(device, owner.list, edits: 1))
        }
    }

    private static func author(port: Int) throws -> Person {
        let device = try SyncDevice(port: port)
        let list = try device.makeList()
        try device.sync(device.items(0..<items, in: list))
        try device.catchUp()
        device.connection.close()
        return Person(device, list, edits: items)
    }

    @discardableResult
    private static func ask(_ path: String, _ body: Data, as device: SyncDevice) throws -> HTTPAnswer {
        let answer = try device.connection.ask(
            HTTPRequest.bytes(
                "POST", path, ["Authorization: Bearer \(device.session.token)", "Content-Type: application/json"],
                body: body))
        guard (200..<300).contains(answer.status) else { throw SyncDevice.Unexpected(answer) }
        return answer
    }

    // MARK: Measuring

    /// Lets the devices act on these connections, each device once at a time. Returns the actions per second.
    func rate(of count: Int, _ load: NodeLoad, on connections: [HTTPConnection]) throws -> Double {
        let turns = Turns(load == .oneList ? together : alone, load, connections: connections.count)
        return try ClosedLoop.rate(
            of: count, on: connections, request: { turns.request(on: $0) },
            answered: { try turns.finish($1, on: $0) })
    }

    /// Which devices are free, and which acts on each connection.
    private final class Turns {
        private let people: [Person]
        private let load: NodeLoad
        /// The numbers of the people, in the order in which they became free. Those before `next` act, or have acted.
        private var free: [Int]
        private var next = 0
        private var acting: [Int]

        init(_ people: [Person], _ load: NodeLoad, connections: Int) {
            (self.people, self.load) = (people, load)
            free = Array(people.indices)
            acting = Array(repeating: 0, count: connections)
        }

        func request(on connection: Int) -> [UInt8] {
            let number = free[next]
            next += 1
            acting[connection] = number
            let person = people[number]
            return load == .rounds ? person.device.request() : person.push()
        }

        func finish(_ answer: HTTPAnswer, on connection: Int) throws {
            let number = acting[connection]
            let hasMore = try people[number].device.glance(at: answer)
            if load == .rounds && hasMore { throw SyncDevice.Unexpected(answer) }
            free.append(number)
        }
    }
}
