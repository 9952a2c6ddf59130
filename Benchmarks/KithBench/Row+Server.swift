extension Row {
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
}
