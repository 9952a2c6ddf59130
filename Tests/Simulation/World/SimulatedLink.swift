import KithModel

/// A link, with what a person who has it knows.
struct SimulatedLink {
    let server: Int
    let id: LinkID
    let token: String
    let list: ListID
    let owner: AccountID
    let isPublic: Bool
    let expires: Timestamp?
    var isRevoked = false

    func isOpen(at now: Timestamp) -> Bool { !isRevoked && expires.map { now < $0 } ?? true }
}
