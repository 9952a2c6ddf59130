import KithModel

/// The version of a database: how many steps of the migrations were done, and which programs may use it.
struct StoredVersion {
    /// The number of steps that were done; 0 for an empty database.
    let number: Int
    /// The number of steps that a program must know to use the database.
    let oldest: Int

    init(in transaction: any Transaction) throws {
        number = Int(try Meta.value(Meta.versionName, in: transaction) ?? "0") ?? 0
        oldest = Int(try Meta.value(Meta.oldestName, in: transaction) ?? "") ?? number
    }

    /// Whether a program that knows so many steps may use the database, after it has done those that are missing.
    func admits(programKnowing steps: Int) -> Bool { oldest <= steps }

    /// The error for a program that may not.
    func refusal(ofProgramKnowing steps: Int) -> ServerError {
        let state = number < oldest ? "is being upgraded to version \(oldest)" : "is of version \(number)"
        return ServerError(
            .busy,
            "The database \(state), and programs that know less than version \(oldest) may not use it. "
                + "This program knows \(steps). Use the newer program, or restore a backup.")
    }
}
