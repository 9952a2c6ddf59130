/// The disk has failed to store a file.
struct DiskFailure: DatabaseFailure, Hashable, CustomStringConvertible {
    /// The error of the operating system (`errno`).
    let code: Int32

    var kind: DatabaseFailureKind { .unwritable }

    var description: String { "fdatasync: error \(code)" }
}
