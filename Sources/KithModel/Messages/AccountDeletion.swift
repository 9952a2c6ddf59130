/// The deletion of an account, with what becomes of its lists: `POST /v1/account/deletion`.
///
/// A list in which nobody else is needs no decision: it is deleted with the account.
package struct AccountDeletion: Hashable, Sendable, Codable {
    /// What becomes of one list.
    package struct Decision: Hashable, Sendable, Codable {
        /// The list.
        package var list: ListID
        /// What becomes of it.
        package var fate: ListFate

        package init(list: ListID, fate: ListFate) { (self.list, self.fate) = (list, fate) }

        private enum Key: String, CodingKey { case list, fate, account }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            list = try container.decode(ListID.self, forKey: .list)
            switch try container.decode(String.self, forKey: .fate) {
            case "handOver": fate = .handOver(to: try container.decode(AccountID.self, forKey: .account))
            case "editor": fate = .handOverToEditor
            case "delete": fate = .delete
            default:
                throw DecodingError.dataCorruptedError(
                    forKey: .fate, in: container, debugDescription: "is none of handOver, editor, delete")
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(list, forKey: .list)
            switch fate {
            case .handOver(let account):
                try container.encode("handOver", forKey: .fate)
                try container.encode(account, forKey: .account)
            case .handOverToEditor: try container.encode("editor", forKey: .fate)
            case .delete: try container.encode("delete", forKey: .fate)
            }
        }
    }

    /// What becomes of lists that ``lists`` does not name.
    package enum Rest: String, Hashable, Sendable, Codable {
        /// ``ListFate/handOverToEditor``
        case editor
        /// ``ListFate/delete``
        case delete

        /// What becomes of each list.
        package var fate: ListFate { self == .editor ? .handOverToEditor : .delete }
    }

    /// At most ``Limits/lists``. Lists that the account does not own are ignored.
    package var lists: [Decision]?
    /// What becomes of the others; nil if nothing may be decided for them.
    package var others: Rest?

    package init(lists: [Decision]? = nil, others: Rest? = nil) { (self.lists, self.others) = (lists, others) }
}
