import KithModel

/// The server's knowledge of a device's numbers.
struct DeviceNumbers {
    private let account: AccountID
    private let device: DeviceID
    private(set) var numbering: Numbering
    private var outcomes: [Int64: MutationOutcome]

    /// The last number that was taken.
    var acknowledged: Acknowledgement {
        Acknowledgement(number: numbering.last, hash: numbering.hashes[numbering.last] ?? "")
    }

    /// Locks the device's row, and creates it if there is none. Reads the stored outcomes from `first` on, or from the
    /// last number that was taken.
    static func lock(
        _ device: DeviceID, of account: AccountID, _ first: Int64, in transaction: any Transaction
    ) throws -> DeviceNumbers {
        let row = try transaction.query(
            """
            INSERT INTO device (account, id, last)
            SELECT id, ?, 0 FROM account WHERE id = ?
            ON CONFLICT (account, id) DO UPDATE SET last = device.last RETURNING last
            """, [.id(device), .id(account)])
        // The account may have been deleted since its token was checked.
        guard let last = try row.first?.integer(0) else { throw ServerError.accountClosed }
        if last == 0 { try checkRoom(for: account, in: transaction) }
        let rows = try transaction.query(
            "SELECT number, hash, result, code, detail FROM taken WHERE account = ? AND device = ? AND number >= ?",
            [.id(account), .id(device), .integer(min(first, last))])
        var hashes: [Int64: String] = [:]
        var outcomes: [Int64: MutationOutcome] = [:]
        for row in rows {
            let number = try row.integer(0)
            hashes[number] = try row.text(1)
            outcomes[number] = try MutationOutcome(row, number: 0, result: 2)
        }
        return DeviceNumbers(
            account: account, device: device,
            numbering: Numbering(last: last, hashes: hashes), outcomes: outcomes)
    }

    /// Limits the number of devices of an account. A device is never forgotten, because its late mutations would then
    /// count twice.
    private static func checkRoom(for account: AccountID, in transaction: any Transaction) throws {
        let count = try transaction.count("SELECT count(*) FROM device WHERE account = ?", [.id(account)])
        guard count <= Limits.devices else {
            throw ServerError(
                .tooMany, "The account has \(Limits.devices) devices; no more can send.", path: "$.device")
        }
    }

    /// The outcomes of those mutations of a copy's request that were taken. The copy sends all other mutations again.
    ///
    /// For numbers before the stored range, the server cannot tell whether they were taken. Repeating a set or a
    /// deletion does no harm. An addition would count twice, so it is returned to its author, together with its group.
    func copies(_ decision: Numbering.Decision, of request: SyncRequest) -> [MutationOutcome] {
        guard case .copied(let taken) = decision else { return [] }
        let doubtful = request.mutations.filter { $0.number <= numbering.last && numbering.hashes[$0.number] == nil }
        let adding = Set(doubtful.filter(\.change.adds).map { $0.group ?? $0.number })
        let returned = doubtful.filter { adding.contains($0.group ?? $0.number) }.map { mutation in
            MutationOutcome(
                number: mutation.number, result: .rejected, code: .repeated,
                detail: "This may have counted already, on the device that this one was copied from.")
        }
        return returned + taken.compactMap { outcomes[$0] }
    }

    /// Stores the outcomes of new mutations, and deletes outcomes that are too old.
    mutating func take(
        _ outcomes: [MutationOutcome], hashes: ArraySlice<String>, at now: Timestamp, in transaction: any Transaction
    ) throws {
        guard let last = outcomes.last?.number else { return }
        try transaction.insert(
            into: "taken", ["account", "device", "number", "hash", "result", "code", "detail"],
            zip(outcomes, hashes).map { outcome, hash in
                [
                    .id(account), .id(device), .integer(outcome.number), .text(hash), .text(outcome.result.rawValue),
                    .text(outcome.code?.rawValue), .text(outcome.detail),
                ]
            })
        try transaction.execute(
            "UPDATE device SET last = ?, taken_at = ? WHERE account = ? AND id = ?",
            [.integer(last), .time(now), .id(account), .id(device)])
        if last > Limits.remembered {
            try transaction.execute(
                "DELETE FROM taken WHERE account = ? AND device = ? AND number <= ?",
                [.id(account), .id(device), .integer(last - Limits.remembered)])
        }
        numbering.last = last
        numbering.hashes[last] = hashes.last
    }
}

extension Mutation.Change {
    /// Whether the mutation adds to a number, so that it must not be applied twice.
    fileprivate var adds: Bool { if case .edit(_, let add) = self { !add.isEmpty } else { false } }
}

extension MutationOutcome {
    /// Reads an outcome. Its result, code and detail are in three columns from `result` on.
    init(_ row: SQLRow, number: Int, result: Int) throws {
        guard let kind = Result(rawValue: try row.text(result)) else {
            throw ServerError(.internalError, "“\(try row.text(result))” is not an outcome.")
        }
        self.init(
            number: try row.integer(number), result: kind,
            code: try row.optionalText(result + 1).map(RejectionCode.init), detail: try row.optionalText(result + 2))
    }
}
