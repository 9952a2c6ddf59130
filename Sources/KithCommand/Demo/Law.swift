/// A promise that Kith keeps, and where it is proved beyond a story.
struct Law: Sendable {
    let name: String
    let promise: String
    let proof: String

    static let all = [
        Law("Exactly once", "However often it is sent, each edit takes effect once."),
        Law("Nothing silent", "No edit is lost without a rejection that carries it."),
        Law("Convergence", "When all have synced, all are equal."),
        Law("Read your writes", "A getter shows the device’s own edits at once."),
        Law("Never backwards", "A replica never shows an older state than it has shown."),
        Law("All or nothing", "A crash leaves the state before or the state after."),
        Law(
            "Push first", "A round sends unsent edits before it reads.",
            proof: "Tests/KithTests/Sync and Tests/SimulationTests"),
        Law("Walls", "An account’s data is invisible to every other."),
        Law("Honest signals", "Observers hear each change once, after it can be read."),
        Law("Bounds", "Everything has a limit, and a named behaviour at it."),
        Law(
            "Copies are noticed", "A copied device or a restored server is found out; nothing is lost.",
            proof: "Tests/KithTests/Sync and Tests/SimulationTests"),
        Law(
            "Forward only", "An upgrade keeps unsent edits; old clients and new servers sync.",
            proof: "Tests/KithTests/Replica"),
    ]

    private init(_ name: String, _ promise: String, proof: String = "Tests/SimulationTests") {
        self.name = name
        self.promise = promise
        self.proof = proof
    }

    /// Every law with what showed it, or with where else it is proved.
    static func lines(_ shown: [Int: String], _ timeline: Timeline) -> [String] {
        all.enumerated().flatMap { index, law in
            let number = String(index + 1)
            let padding = String(repeating: " ", count: 3 - number.count)
            return [
                "\(padding)\(number)  " + timeline.look(law.name, .strong) + ": " + law.promise,
                "     "
                    + (shown[index + 1] ?? timeline.look("Not shown by this story; proved in \(law.proof).", .faint)),
            ]
        }
    }
}
