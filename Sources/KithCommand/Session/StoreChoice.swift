import ArgumentParser

/// What to do with a store that becomes hidden.
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
        case .keep: "Keep what is no longer shown on this device."
        case .move:
            """
            Move the lists that are no longer shown. Other devices of that account lose them. Those that other people are \
            in stay, and are named.
            """
        case .drop: "Forget what is no longer shown, unsent edits included."
        }
    }
}
