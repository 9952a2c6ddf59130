import KithServer
import Testing

@Suite("What a failure of the database says about the next reads and writes") struct DatabaseFailureTests {
    @Test(
        "Each kind says whether writes fail until it is fixed, whether nothing is reached, and whether data is damaged",
        arguments: [
            (.passing, false, false, false, false),
            (.unreachable(isLasting: true), true, true, false, false),
            (.unreachable(isLasting: false), false, true, false, false),
            (.unwritable, true, false, false, false),
            (.fullDisk(isReachable: true), true, false, true, false),
            (.fullDisk(isReachable: false), true, true, true, false),
            (.moved, true, false, false, false),
            (.damagedFile, true, false, false, true),
            (.damagedRecord, false, false, false, true),
        ] as [(DatabaseFailureKind, Bool, Bool, Bool, Bool)])
    func kinds(
        kind: DatabaseFailureKind, isLasting: Bool, isUnreachable: Bool, isFullDisk: Bool, isDamage: Bool
    ) {
        #expect(kind.isLasting == isLasting && kind.isUnreachable == isUnreachable)
        #expect(kind.isFullDisk == isFullDisk && kind.isDamage == isDamage)
    }

    @Test(
        "A failure of PostgreSQL has one kind while the connection lasts, and another with its end",
        arguments: [
            ("40001", .passing, .unreachable(isLasting: false)),
            ("40P01", .passing, .unreachable(isLasting: false)),
            ("23505", .passing, .unreachable(isLasting: false)),
            ("0A000", .passing, .unreachable(isLasting: false)),
            ("26000", .unwritable, .unreachable(isLasting: true)),
            ("42P05", .unwritable, .unreachable(isLasting: true)),
            ("55P03", .passing, .unreachable(isLasting: false)),
            ("57014", .passing, .unreachable(isLasting: false)),
            ("53100", .fullDisk(isReachable: true), .fullDisk(isReachable: false)),
            ("KR001", .unwritable, .unreachable(isLasting: true)),
            ("53300", .passing, .unreachable(isLasting: false)),
            ("25006", .unwritable, .unreachable(isLasting: true)),
            ("08006", .unwritable, .unreachable(isLasting: true)),
            ("57P01", .unwritable, .unreachable(isLasting: true)),
            ("25P03", .unwritable, .unreachable(isLasting: true)),
            ("28000", .unwritable, .unreachable(isLasting: true)),
            ("58030", .unwritable, .unreachable(isLasting: true)),
            ("XX001", .unwritable, .unreachable(isLasting: true)),
            ("42601", .passing, .unreachable(isLasting: false)),
        ] as [(String, DatabaseFailureKind, DatabaseFailureKind)])
    func postgres(state: String, connected: DatabaseFailureKind, disconnected: DatabaseFailureKind) {
        #expect(PostgresFailure(state: state, words: "").kind == connected)
        #expect(PostgresFailure(state: state, words: "", isConnectionLost: true).kind == disconnected)
    }

    @Test("A connection that is lost or cannot be opened is unreachable until that is fixed") func lost() {
        #expect(PostgresFailure(lost: "").kind == .unreachable(isLasting: true))
        for words in ["", "FATAL: the server is in hot standby mode"] {
            #expect(PostgresFailure(unopened: words).kind == .unreachable(isLasting: true))
        }
    }

    @Test("A commit whose outcome is unknown does not stop the next one") func unknownOutcome() {
        #expect(UnknownOutcome("").kind == .passing)
        #expect(UnknownOutcome("", isConnectionLost: true).kind == .unreachable(isLasting: false))
    }
}
