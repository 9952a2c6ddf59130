import Simulation

/// What the command line asks for.
struct Arguments {
    var seeds: ClosedRange<UInt64>
    var stopsAtFirst = false
    var hasOnlyDevices = false
    /// The address of the PostgreSQL database for the servers; nil if they use SQLite.
    var postgres: String?
    /// The versions of devices and of the server; nil if they are random.
    var versions: VersionPair?
    /// The time after which no further seed begins; nil if all of them run.
    var time: Duration?

    init?(_ words: ArraySlice<String>) {
        guard let range = words.first else { return nil }
        var options = words.dropFirst()
        while let option = options.popFirst() {
            switch option {
            case "--first": stopsAtFirst = true
            case "--devices": hasOnlyDevices = true
            case "--postgres":
                // Not a URL: the program adds the schema of each server to the address.
                guard let address = options.popFirst(), address.contains("="), !address.contains("://") else {
                    return nil
                }
                postgres = address
            case "--versions":
                guard let pair = options.popFirst().flatMap({ VersionPair($0) }) else { return nil }
                versions = pair
            case "--minutes":
                guard let minutes = options.popFirst().flatMap({ Int($0) }), minutes > 0 else { return nil }
                time = .seconds(60 * minutes)
            default: return nil
            }
        }
        let ends = range.split(separator: "..", omittingEmptySubsequences: false).map { UInt64($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
        seeds = first...last
    }
}
