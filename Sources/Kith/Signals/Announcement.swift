/// A change that is reported to listeners.
package enum Announcement: Hashable, Sendable {
    /// Changes of one collection.
    case changes(any ReportedChanges)
    /// The account's first round has written everything.
    case populated

    /// Whether nothing has changed.
    package var isEmpty: Bool { if case .changes(let changes) = self { changes.isEmpty } else { false } }

    /// The changes, if they are of this type.
    package func changes<Wanted: ReportedChanges>(of type: Wanted.Type = Wanted.self) -> Wanted? {
        if case .changes(let changes) = self { changes as? Wanted } else { nil }
    }

    /// Whether both report the same changes.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.populated, .populated): true
        case (.changes(let left), .changes(let right)): AnyHashable(left) == AnyHashable(right)
        default: false
        }
    }

    /// Hashes the changes.
    package func hash(into hasher: inout Hasher) {
        if case .changes(let changes) = self { hasher.combine(AnyHashable(changes)) }
    }
}
