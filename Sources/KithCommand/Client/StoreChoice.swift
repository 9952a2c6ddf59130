import ArgumentParser

/// The user's choice for a store that becomes hidden.
enum StoreChoice: String, EnumerableFlag {
    /// It stays on this device unchanged.
    case keep
    /// Its lists move to the current store, except for those that other people are in.
    case move
    /// It is dropped, including unsent edits.
    case drop

    /// The option with which a script answers.
    static let flags = "--keep, --move or --drop"

    static func help(for value: StoreChoice) -> ArgumentHelp? {
        switch value {
        case .keep: "Keep the data of the account that is no longer shown."
        case .move:
            """
            Move its lists to the account that is shown now. Its other devices lose them. Lists that other people are in \
            stay, and are named.
            """
        case .drop: "Delete its data from this device, including unsent edits."
        }
    }
}
