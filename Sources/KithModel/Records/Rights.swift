/// An account's rights to one record. They are compared with ``Field/Writer``.
package struct Rights: Hashable, Sendable {
    /// The account's role in the record's feed; nil if it has none.
    package let role: Role?
    /// Whether the record is about this account.
    package let isPerson: Bool

    /// Creates the rights of an account with this role; nil for no role.
    package init(role: Role?, isPerson: Bool = false) {
        self.role = role
        self.isPerson = isPerson
    }

    /// Whether these rights are sufficient for `writer`.
    package func include(_ writer: Field.Writer) -> Bool {
        guard let role else { return false }
        return switch writer {
        case .server: false
        case .owner: role == .owner
        case .editor: role >= .editor
        case .person: isPerson
        }
    }
}
