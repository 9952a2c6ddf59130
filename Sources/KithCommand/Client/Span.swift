import ArgumentParser

/// A duration, as the user types it: `30m`, `12h`, `14d`, `2w`.
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
