import ArgumentParser

/// What becomes of a store that is no longer shown.
enum StoreChoice: String, EnumerableFlag {
    /// It stays on this device as it is.
    case keep
    /// Its lists go to the store that is shown instead, but for those that other people are in.
    case move
    /// It is forgotten, unsent edits included.
    case drop

    /// How a script answers.
    static let flags = "--keep, --move or --drop"

    static func help(for value: StoreChoice) -> ArgumentHelp? {
        switch value {
        case .keep: "Keep what is no longer shown on this device. This happens too if nobody can be asked."
        case .move:
            """
            Move the lists that are no longer shown. Other devices of that account lose them. Those that other people are \
            in stay, and are named.
            """
        case .drop: "Forget what is no longer shown, unsent edits included."
        }
    }
}
