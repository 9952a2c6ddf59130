/// The deletion of an account, with the decisions about its lists: `POST /v1/account/deletion`.
///
/// A list in which nobody else is needs no decision: it is deleted with the account. It cannot be handed over.
package struct AccountDeletion: Hashable, Sendable, Codable {
    /// A list and the decision about it.
    package struct Entry: Hashable, Sendable, Codable {
        /// The list.
        package var list: ListID
        /// The decision.
        package var decision: ListDecision

        package init(list: ListID, decision: ListDecision) { (self.list, self.decision) = (list, decision) }

        private enum Key: String, CodingKey { case list, decision, account }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            list = try container.decode(ListID.self, forKey: .list)
            switch try container.decode(String.self, forKey: .decision) {
            case "handOver": decision = .handOver(to: try container.decode(AccountID.self, forKey: .account))
            case "editor": decision = .handOverToEditor
            case "delete": decision = .delete
            default:
                throw DecodingError.dataCorruptedError(
                    forKey: .decision, in: container, debugDescription: "A decision is handOver, editor or delete.")
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(list, forKey: .list)
            switch decision {
            case .handOver(let account):
                try container.encode("handOver", forKey: .decision)
                try container.encode(account, forKey: .account)
            case .handOverToEditor: try container.encode("editor", forKey: .decision)
            case .delete: try container.encode("delete", forKey: .decision)
            }
        }
    }

    /// The decision about all lists that ``lists`` does not name.
    package enum Rest: String, CaseIterable, Hashable, Sendable, Codable, ChoiceCodable {
        /// ``ListDecision/handOverToEditor``
        case editor
        /// ``ListDecision/delete``
        case delete

        /// The decision about each list.
        package var decision: ListDecision { self == .editor ? .handOverToEditor : .delete }
    }

    /// The decisions about single lists, at most ``Limits/lists``. Lists that the account does not own are ignored.
    package var lists: [Entry]?
    /// The decision about all other lists; nil if there is none.
    package var others: Rest?

    package init(lists: [Entry]? = nil, others: Rest? = nil) { (self.lists, self.others) = (lists, others) }
}
