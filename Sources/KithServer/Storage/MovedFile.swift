/// The database file was deleted, moved or replaced while it was open.
struct MovedFile: DatabaseFailure, Hashable, CustomStringConvertible {
    /// The name that leads to another file, or to none.
    let path: String

    var kind: DatabaseFailureKind { .moved }

    var description: String { "\(path) is not the file that was opened" }
}
