import Foundation

/// A measurement that has a table of its own.
enum Study: String, CaseIterable {
    case contacts, overload, signin, sharing

    var about: String {
        switch self {
        case .contacts: "study: reading and writing vCards, beside two other readers"
        case .overload: "study: a polite client beside greedy ones"
        case .signin: "study: whether times, sizes or refusals tell that an email is registered"
        case .sharing: "study: the pages of share links at a fixed rate, and the funnel of a million events"
        }
    }

    /// Whether the study can run small, to show only that it works.
    var canBeSmall: Bool { self == .sharing }

    /// Measures, and prints the table. If it `isSmoke`, a study that ``canBeSmall`` is small.
    func measure(in folder: URL, isSmoke: Bool) async throws {
        switch self {
        case .contacts: try await measureContacts(in: folder)
        case .overload: try measureOverload(in: folder)
        case .signin: try await measureSignIn()
        case .sharing: try await measureSharing(in: folder, isSmoke: isSmoke)
        }
    }
}
