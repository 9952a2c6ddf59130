package import HTTPTypes

/// Why the form of an item has done nothing. The address of the page of a share link has the raw value.
package enum TickRefusal: String, Hashable, Sendable {
    /// Somebody else gives the item.
    case conflict
    /// The item is not in the list any more.
    case gone
    /// The link is only for reading.
    case readOnly

    /// The reason in the words of a page.
    var phrase: PageValue { .phrase("public.\(rawValue)") }

    /// The status of the answer, if it is the page itself.
    package var status: HTTPResponse.Status {
        switch self {
        case .conflict: .conflict
        case .gone: .notFound
        case .readOnly: .forbidden
        }
    }
}
