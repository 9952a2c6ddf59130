import KithModel

/// The server's knowledge of a device's numbers.
struct DeviceNumbers {
    private let account: AccountID
    private let device: DeviceID
    let numbering: Numbering
    /// The stored outcomes, in any order.
    private let outcomes: [MutationOutcome]
    /// The last number that was taken.
    private(set) var acknowledged: Acknowledgement
    /// The day when mutations were last taken; nil if none were for a long time.
    private let takenDay: Int64?

    private static let insertion = RowStatement(
        insertInto: "taken", ["account", "device", "number", "hash", "result", "code", "detail"])

    /// Outcomes that are too old are deleted once for this many mutations.
    private static let sweep: Int64 = 100

    /// Locks the device, and asks for its numbers, and for the stored outcomes from `first` on, the last number that the
    /// device knows to have been taken.
    static func lock(
        _ device: DeviceID, of account: AccountID, _ first: Int64, in transaction: any Transaction
    ) throws -> Pending<DeviceNumbers> {
        if transaction.dialect.hasSeveralWriters { try lockRow(of: device, of: account, first, in: transaction) }
        return try transaction.ask(numbers, [.id(device), .integer(first), .id(account)]).map { rows in
            // The account may have been deleted since its token was checked.
            guard let head = rows.first else { throw ServerError.accountClosed }
            let last = head.isNull(0) ? 0 : try head.integer(0)
            if last == 0 { try checkRoom(for: device, of: account, in: transaction) }
            var hashes: [Int64: String] = [:]
            var outcomes: [MutationOutcome] = []
            for row in rows where !row.isNull(1) {
                let outcome = try MutationOutcome(row, number: 1, result: 3)
                hashes[outcome.number] = try row.text(2)
                outcomes.append(outcome)
            }
            let lastHash = last < first ? try hash(of: last, of: device, of: account, in: transaction) : hashes[last]
            return DeviceNumbers(
                account: account, device: device, numbering: Numbering(last: last, hashes: hashes), outcomes: outcomes,
                acknowledged: Acknowledgement(number: last, hash: lastHash ?? ""),
                takenDay: head.isNull(6) ? nil : try head.integer(6))
        }
    }

    /// A row for each stored outcome; one row with nulls if there is none.
    ///
    /// The first number depends on no joined row. PostgreSQL would otherwise read all outcomes of the device, and then leave
    /// out the earlier ones.
    private static let numbers = """
        SELECT device.last, taken.number, taken.hash, taken.result, taken.code, taken.detail, device.taken_day
        FROM account LEFT JOIN device ON device.account = account.id AND device.id = ?
            LEFT JOIN taken ON taken.account = device.account AND taken.device = device.id
                AND taken.number >= ?
        WHERE account.id = ?
        """

    /// The stored hash of a number; nil if there is none. It is only looked for if the device knows of later numbers,
    /// because the server was restored from a backup.
    private static func hash(
        of number: Int64, of device: DeviceID, of account: AccountID, in transaction: any Transaction
    ) throws -> String? {
        try transaction.query(
            "SELECT hash FROM taken WHERE account = ? AND device = ? AND number = ?",
            [.id(account), .id(device), .integer(number)]
        ).first?.text(0)
    }

    /// Makes other pushes of the device wait until this transaction ends. The first push creates the row for that, one new
    /// device of an account at a time, so that they can be counted.
    ///
    /// A device that knows a number to have been taken has a row. If a restored database lacks it, nothing is taken.
    private static func lockRow(
        of device: DeviceID, of account: AccountID, _ first: Int64, in transaction: any Transaction
    ) throws {
        let row = try transaction.ask(
            "SELECT 1 FROM device WHERE account = ? AND id = ?\(transaction.dialect.locking("device"))",
            [.id(account), .id(device)])
        if try first > 0 || !row.value().isEmpty { return }
        _ = try transaction.query(
            "SELECT 1 FROM account WHERE id = ?\(transaction.dialect.locking("account"))", [.id(account)])
        try transaction.execute(
            """
            INSERT INTO device (account, id, last)
            SELECT id, ?, 0 FROM account WHERE id = ?
            ON CONFLICT (account, id) DO UPDATE SET last = device.last
            """, [.id(device), .id(account)])
    }

    /// Limits the number of devices of an account. A device is never forgotten, because its late mutations would then
    /// count twice.
    private static func checkRoom(
        for device: DeviceID, of account: AccountID, in transaction: any Transaction
    ) throws {
        let others = try transaction.count(
            "SELECT count(*) FROM device WHERE account = ? AND id <> ?", [.id(account), .id(device)])
        guard others < Limits.devices else {
            throw ServerError(
                .tooMany, "The account has \(Limits.devices) devices; no more can send.", path: "$.device")
        }
    }

    /// What is acknowledged to a request without new mutations. If it has mutations, it is at most the last of them: the
    /// device may have more in flight, and another copy of it may have given their numbers to other edits.
    func acknowledged(atMost last: Int64?) -> Acknowledgement {
        guard let last, last < acknowledged.number else { return acknowledged }
        return Acknowledgement(number: last, hash: numbering.hashes[last] ?? "")
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
        let byNumber = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.number, $0) })
        return returned + taken.compactMap { byNumber[$0] }
    }

    /// Stores the outcomes of new mutations, and deletes outcomes that are too old.
    mutating func take(
        _ outcomes: [MutationOutcome], hashes: ArraySlice<String>, at now: Timestamp, in transaction: any Transaction
    ) throws {
        guard let last = outcomes.last?.number else { return }
        let (account, device) = (SQLValue.id(self.account), SQLValue.id(self.device))
        try transaction.execute(
            Self.insertion,
            zip(outcomes, hashes).map { outcome, hash in
                [
                    account, device, .integer(outcome.number), .text(hash), .text(outcome.result.rawValue),
                    .text(outcome.code?.rawValue), .text(outcome.detail),
                ]
            })
        let day = now.day
        if day == takenDay {
            // No index contains these two columns.
            try transaction.execute(
                "UPDATE device SET last = ?, taken_at = ? WHERE account = ? AND id = ?",
                [.integer(last), .time(now), account, device])
        } else {
            try transaction.execute(
                """
                INSERT INTO device (account, id, last, taken_at, taken_day) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (account, id) DO UPDATE SET last = excluded.last, taken_at = excluded.taken_at,
                    taken_day = excluded.taken_day
                """, [account, device, .integer(last), .time(now), .integer(day)])
        }
        if last > Limits.remembered, last / Self.sweep > numbering.last / Self.sweep {
            try transaction.execute(
                "DELETE FROM taken WHERE account = ? AND device = ? AND number <= ?",
                [account, device, .integer(last - Limits.remembered)])
        }
        acknowledged = Acknowledgement(number: last, hash: hashes.last ?? "")
    }
}

extension MutationOutcome {
    /// Reads an outcome. Its result, code and detail are in three columns from `result` on.
    init(_ row: SQLRow, number: Int, result: Int) throws {
        guard let kind = Result(rawValue: try row.text(result)) else {
            throw ServerError(.internalError, "A stored outcome is of an unknown kind.")
        }
        self.init(
            number: try row.integer(number), result: kind,
            code: try row.optionalText(result + 1).map(RejectionCode.init), detail: try row.optionalText(result + 2))
    }
}
