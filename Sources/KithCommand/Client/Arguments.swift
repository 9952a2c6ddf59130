public import ArgumentParser
import Foundation
public import Kith
public import KithModel

/// The list that a command is about.
struct ListArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The list: its name, or the start of its id.", valueName: "list"),
        completion: .custom(ListNames.complete))
    var list: String
}

/// The names of an account's lists, for a shell that completes a word, and to suggest them.
enum ListNames {
    static func complete(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        guard let client = client(words) else { return [] }
        guard let account = GlobalOptions.value(of: "--account", in: words) else {
            return (try? await client.lists.all().map(\.name.printable)) ?? []
        }
        guard let stores = try? await client.accounts.all(),
            let scope = try? StoreReference(text: account).resolve(among: stores)
        else { return [] }
        return (try? await client.lists.all(within: scope).map(\.name.printable)) ?? []
    }

    /// The client of the device that the command so far is about; nil if there is none.
    static func client(_ words: [String]) -> KithClient? {
        let folder = GlobalOptions.value(of: "--data", in: words)
        // Completing a word must not make a folder.
        guard
            let options = try? GlobalOptions.parse(folder.map { ["--data=\($0)"] } ?? []),
            let place = try? Place(options, environment: ProcessInfo.processInfo.environment),
            FileManager.default.fileExists(atPath: place.folder.path()),
            let client = try? KithClient(KithConfiguration(server: nil, storage: .directory(place.folder)))
        else { return nil }
        if let note = client.noteOfDamage { Console(isJSON: false).note("\n" + note) }
        return client
    }
}

/// How long a link is good for: `30m`, `12h`, `14d`, `2w`.
struct Span: Hashable, Sendable, ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let seconds: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        guard let unit = argument.last, let each = seconds[unit], let count = Int64(argument.dropLast()), count > 0,
            count <= 1_000_000
        else { return nil }
        duration = .seconds(count * each)
    }
}

/// A moment in the time of whoever types it: `2026-12-24T08:00`, `2026-12-24 08:00`, `2026-12-24`.
struct Moment: Hashable, Sendable, ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        if let date = try? Date(argument, strategy: .iso8601) {
            self.date = date
            return
        }
        let form = #/(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/#
        guard let match = argument.wholeMatch(of: form) else { return nil }
        let (_, year, month, day, hour, minute, second) = match.output
        var parts = DateComponents()
        (parts.year, parts.month, parts.day) = (Int(year), Int(month), Int(day))
        (parts.hour, parts.minute, parts.second) = (
            hour.flatMap { Int($0) }, minute.flatMap { Int($0) }, second.flatMap { Int($0) }
        )
        guard parts.isValidDate(in: .current), let date = Calendar.current.date(from: parts) else { return nil }
        self.date = date
    }
}

extension Role: ExpressibleByArgument {}
extension ListFormat: ExpressibleByArgument {}

/// Where something goes in an order.
struct Destination: ParsableArguments {
    @Flag(help: "To the beginning.") var first = false
    @Flag(help: "To the end.") var last = false
    @Option(help: ArgumentHelp("Right after this one.", valueName: "other")) var after: String?
    @Option(help: ArgumentHelp("Right before this one.", valueName: "other")) var before: String?

    func validate() throws {
        let named = [first, last, after != nil, before != nil].filter(\.self).count
        if named != 1 { throw ValidationError("Say where to: one of --first, --last, --after, --before.") }
    }

    /// What `moving` is to stand after; nil if it is to stand first. `all` is
    /// everything, in the present order. Throws what a ``Reference`` throws.
    func predecessor<ID>(of moving: ID, among all: [Nameable<ID>], kind: String) throws -> ID? {
        let others = all.filter { $0.id != moving }
        if first { return nil }
        if last { return others.last?.id }
        let neighbour = try Reference(after ?? before ?? "").resolve(among: all, kind: kind)
        guard neighbour.id != moving else {
            throw Failure(.usage, "usage", "The \(kind) cannot stand beside itself. Name another \(kind).")
        }
        guard before != nil, let index = others.firstIndex(where: { $0.id == neighbour.id }) else {
            return neighbour.id
        }
        return index > 0 ? others[index - 1].id : nil
    }
}
