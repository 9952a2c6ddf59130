import ArgumentParser

/// The position to move something to.
struct Destination: ParsableArguments {
    @Flag(help: "To the beginning.") var first = false
    @Flag(help: "To the end.") var last = false
    @Option(help: ArgumentHelp("Right after this one.", valueName: "other")) var after: String?
    @Option(help: ArgumentHelp("Right before this one.", valueName: "other")) var before: String?

    func validate() throws {
        let named = [first, last, after != nil, before != nil].filter(\.self).count
        if named != 1 { throw ValidationError("Say where to: one of --first, --last, --after, --before.") }
    }

    /// The element after which `moving` goes; nil if it goes first. `all` has all elements in their current order.
    /// Throws the errors of ``Reference``.
    func predecessor<ID>(of moving: ID, among all: [Nameable<ID>], kind: String) throws -> ID? {
        let others = all.filter { $0.id != moving }
        if first { return nil }
        if last { return others.last?.id }
        let neighbour = try Reference(after ?? before ?? "").resolve(among: all, kind: kind)
        guard neighbour.id != moving else {
            throw Failure.usage("The \(kind) cannot stand beside itself. Name another \(kind).")
        }
        guard before != nil, let index = others.firstIndex(where: { $0.id == neighbour.id }) else {
            return neighbour.id
        }
        return index > 0 ? others[index - 1].id : nil
    }
}
