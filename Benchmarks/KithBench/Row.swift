/// A row of the table: one or more measurements that belong together.
struct Row: Sendable {
    /// The name that `./bench` takes.
    let name: String
    let about: String
    let measure: @Sendable (Run) async throws -> Void

    init(_ name: String, _ about: String, measure: @escaping @Sendable (Run) async throws -> Void) {
        self.name = name
        self.about = about
        self.measure = measure
    }

    /// In the order of the table.
    static let all = device + server + live + network

    static let device: [Row] = [
        Row("edit", "a local edit: the record's row and the outbox", measure: LocalEdits.measure),
        Row("list-read", "reading a list of 1,000 items as Swift values", measure: ListReading.measure),
        Row("live-query", "from an edit to the list that an observer receives", measure: LiveQuery.measure),
        Row("first-fill", "the first fill of a device: speed, memory, and killing it", measure: FirstFill.measure),
        Row("waiting", "edits that wait offline: sending them, and one more edit", measure: WaitingEdits.measure),
        Row("pull", "a pull over 1,000 waiting edits", measure: PullOverEdits.measure),
        Row("switch", "switching between accounts on a device", measure: AccountSwitch.measure),
        Row("roster", "a network of 10,000 people, read and changed", measure: { try await Circle.measureRoster($0) }),
        Row("profile", "a profile change told to 1,000 contacts", measure: { try await Circle.measureProfile($0) }),
    ]

    /// What the server does for one and for many devices, over HTTP.
    static let server = [
        Row("round", "a round with nothing new: time and bytes") { try IdleRound(run: $0).measure() },
        Row("rounds", "rounds with nothing new on 32 connections") { try IdleRounds(run: $0).measure() },
        Row("many-lists", "a round with nothing new for 100 and 990 lists") { try ManyLists(run: $0).measure() },
        Row("delta", "a round with one change among up to a million records") { try DeltaRound(run: $0).measure() },
        Row("server-fill", "the first fill of 100,000 rows, on the server's side") { try ServedFill.measureRate($0) },
        Row("wire", "the bytes of a row in a first fill, beside Kinto") { try WireSize(run: $0).measure() },
        Row("durable", "single durable edits of one and of 64 devices") { try DurableEdits(run: $0).measure() },
        Row("upload", "10,000 offline edits, beside Kinto") { try OfflineUpload(run: $0).measure() },
        Row("peers", "the same actions with Kinto, Radicale and Xandikos") { try PeerComparison(run: $0).measure() },
    ]

    static let live: [Row] = [
        Row("live", "an edit until another live device has read it") { run in
            var latency = LiveLatency(run)
            try await latency.measure()
        },
        Row("live-nodes", "an edit at one of two servers until a live device at the other has read it") { run in
            var latency = LiveLatency(run)
            try await latency.measureTwoServers()
        },
        Row("idle", "live devices to which nothing happens") { run in try await IdleDevices.measure(run) },
        Row("deletions", "a list from which a million items were removed") { run in try Deletions(run).measure() },
        Row("start", "the start of the server over a million records") { run in try ServerStart.measure(run) },
        Row("board", "a project board, as in Jazz’s benchmark") { run in try await ProjectBoard.measure(run) },
        Row("simulation", "worlds of the simulation in a second") { run in try SimulatedWorlds.measure(run) },
    ]

    static let network: [Row] = [
        Row("discovery", "looking for the numbers of an address book among a million") { run in
            try await measureDiscovery(run)
        },
        Row("numbers", "finding people by their numbers in 100,000 cards") { run in
            try await NumberLookup(run).measure()
        },
    ]
    /// Rows that take so long that they run only if they are named, or if all rows run small.
    static let long = [
        Row("nodes", "1, 2 and 3 servers on one PostgreSQL, beside the same statements from pgbench") { run in
            try NodeStudy.measure(run)
        }
    ]
}
