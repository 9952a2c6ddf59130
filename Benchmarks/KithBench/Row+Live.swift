extension Row {
    static let live: [Row] = [
        Row("live", "an edit until another live device has read it") { run in
            var latency = LiveLatency(run)
            try await latency.measure()
        },
        Row("idle", "live devices to which nothing happens") { run in try await IdleDevices.measure(run) },
        Row("deletions", "a list from which a million items were removed") { run in try Deletions(run).measure() },
        Row("start", "the start of the server over a million records") { run in try ServerStart.measure(run) },
        Row("board", "a project board, as in Jazz’s benchmark") { run in try await ProjectBoard.measure(run) },
        Row("simulation", "worlds of the simulation in a second") { run in try SimulatedWorlds.measure(run) },
    ]
}
