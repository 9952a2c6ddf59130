/// A person's profile, as far as I may see it: `GET /v1/accounts/{account}`.
package struct ShownProfile: Hashable, Sendable, Codable {
    /// The person's account.
    package var account: AccountID
    /// The fields of their ``Profile`` that I may see. They may come from another version, so this version may not know
    /// all of them.
    package var fields: Fields
    /// Whether the account is a program.
    package var isBot: Bool
    /// Identifies the state of the details, like the contact's `detailsTag`; nil if there are none.
    package var detailsTag: String?

    /// Creates an answer with these properties.
    package init(account: AccountID, fields: Fields, isBot: Bool, detailsTag: String?) {
        self.account = account
        self.fields = fields
        self.isBot = isBot
        self.detailsTag = detailsTag
    }
}
