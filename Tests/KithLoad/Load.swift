import Foundation
import Kith
import KithModel

/// A real client under load, to be killed: it edits as fast as it may, and says what it did.
///
///     KithLoad join SERVER FOLDER LINK NAME   edits a shared list until it is killed
///     KithLoad fill FOLDER                    edits a local list until the disk is full
///
/// Each edit adds an item “NAME k” and 1 to the sum “Sum k mod 10”, together or
/// not at all. Lines on standard output: `resumed k`, `edited k` once a getter has
/// shown it, `acknowledged k` once the server has it; `wrong …` if a getter did not.
@main enum KithLoad {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.count) {
        case ("join", 5):
            try await Joined(server: words[2], folder: words[3], link: words[4], name: words[5]).work()
        case ("fill", 2):
            try await Filling(folder: words[2]).work()
        default:
            FileHandle.standardError.write(Data("KithLoad join SERVER FOLDER LINK NAME | KithLoad fill FOLDER\n".utf8))
            exit(64)
        }
    }
}

/// Prints a line, past all buffers: what was said before a kill is what is checked after it.
private func say(_ words: Any...) {
    let line = words.map { "\($0)" }.joined(separator: " ") + "\n"
    FileHandle.standardOutput.write(Data(line.utf8))
}

/// One writer's numbered edits of one list.
struct Edits: Sendable {
    static let sums = 10

    let client: KithClient
    let list: ListID
    let name: String

    /// Makes the edit of number `number` and reads it back.
    func make(_ number: Int) async throws {
        let (list, title) = (list, "\(name) \(number)")
        let items = try await client.lists.items(in: list)
        guard let sum = items.first(where: { $0.title == "Sum \(number % Self.sums)" }) else {
            say("wrong: there is no sum \(number % Self.sums)")
            exit(1)
        }
        let added = try await client.write { changes in
            try changes.increase(sum.id, by: 1)
            return try changes.add(title, to: list)
        }
        let read = try await (client.lists.item(added.id), client.lists.item(sum.id))
        if read.0?.title != title || (read.1?.count ?? 0) <= sum.count {
            say("wrong: a getter does not show edit \(number)")
            exit(1)
        }
        say("edited", number)
    }

    /// The number of the last edit in the replica; 0 if there is none.
    func last() async throws -> Int {
        let prefix = name + " "
        return try await client.lists.items(in: list).lazy.filter { $0.title.hasPrefix(prefix) }
            .compactMap { Int($0.title.dropFirst(prefix.count)) }.max() ?? 0
    }
}

/// Edits a shared list, with a few edits on their way at once, until it is killed.
private struct Joined {
    let server: String
    let folder: String
    let link: String
    let name: String

    /// Edits that may wait for the server, so that the rate limit slows the editing and not only the sending.
    static let window = 10

    func work() async throws {
        let client = try KithClient(
            KithConfiguration(
                server: URL(string: server), storage: .directory(URL(filePath: folder, directoryHint: .isDirectory))))
        async let running: Void = client.run()
        let edits = Edits(client: client, list: try await list(client), name: name)
        var number = try await edits.last()
        say("resumed", number)
        while true {
            for _ in 0..<Self.window {
                number += 1
                try await edits.make(number)
            }
            try await again(client) { try await client.caughtUp() }
            say("acknowledged", number)
        }
        await running
    }

    private func list(_ client: KithClient) async throws -> ListID {
        if let known = try await client.lists.all().first { return known.id }
        let accepted = try await again(client) { try await client.lists.accept(link: link) }
        try await again(client) { try await client.caughtUp() }
        return accepted.id
    }

    /// Tries until the server, which may be dead just now, has answered.
    private func again<Value>(_ client: KithClient, _ work: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await work()
            } catch let error as KithError where error.code == .offline || error.code == .busy {
                try await Task.sleep(for: error.retryAfter ?? .milliseconds(20))
                try? await client.syncNow()
            }
        }
    }
}

/// Edits a local list until the disk is full, and shows that reading goes on.
private struct Filling {
    let folder: String

    func work() async throws {
        let client = try KithClient(
            KithConfiguration(server: nil, storage: .directory(URL(filePath: folder, directoryHint: .isDirectory))))
        let list = try await client.lists.create("Full")
        for sum in 0..<Edits.sums { try await client.lists.add("Sum \(sum)", to: list.id) }
        let edits = Edits(client: client, list: list.id, name: "fill")
        var number = 0
        do {
            while number < 100_000 {
                try await edits.make(number + 1)
                number += 1
            }
        } catch let error as KithError {
            say("refused", number + 1, error.code)
        }
        let items = try await client.lists.items(in: list.id)
        say("reads", items.count - Edits.sums, items.filter { $0.title.hasPrefix("Sum ") }.map(\.count).reduce(0, +))
    }
}
