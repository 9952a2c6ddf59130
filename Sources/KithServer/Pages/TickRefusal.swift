package import HTTPTypes

/// What a page says about the form of an item that was sent before: why it has done nothing, or that it cannot be taken
/// back. The address of the page has the raw value.
package enum TickRefusal: String, Hashable, Sendable {
    /// Somebody else gives the item.
    case conflict
    /// The item is not in the list any more.
    case gone
    /// The link is only for reading.
    case readOnly
    /// The item is given by a new giver. Only a browser that keeps the cookie can take it back.
    case given

    /// The words of a page for a browser whose cookie has the secret `giver`; nil if there is nothing to say.
    func phrase(giver: String?) -> PageValue? {
        self == .given && giver != nil ? nil : .phrase("public.\(rawValue)")
    }

    /// The status of the answer, if it is the page itself.
    package var status: HTTPResponse.Status {
        switch self {
        case .conflict: .conflict
        case .gone: .notFound
        case .readOnly: .forbidden
        case .given: .ok
        }
    }
}
