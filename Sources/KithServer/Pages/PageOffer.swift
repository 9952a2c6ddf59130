package import KithModel

/// What a link offers, as its page shows it.
package struct PageOffer: Hashable, Sendable {
    /// What accepting does.
    package enum Purpose: String, Sendable {
        /// Joins a list.
        case list
        /// Connects two people.
        case connect
        /// Joins the service.
        case join
        /// Nothing: the link is for reading a list.
        case read
    }

    package var purpose: Purpose
    /// The name that the inviter shows to everyone, if the link knows the inviter.
    package var inviter: String?
    /// The name of the list, if the link is for one.
    package var list: String?
    /// The role in the list.
    package var role: Role?
    /// The number of items in the list, and of people.
    package var items, members: Int?
    /// What the inviter has written.
    package var text: String?
    package var expires: Timestamp?
    /// Whether whoever joins the list is also connected with the inviter.
    package var alsoConnects = false

    /// The offer of a list's link.
    package init(_ preview: LinkPreview) {
        purpose = preview.isPublic ? .read : .list
        list = preview.name
        role = preview.role
        (items, members) = (preview.items, preview.members)
        expires = preview.expires
    }

    /// The offer of an invitation to one person.
    package init(_ preview: InvitationPreview) {
        purpose = preview.list != nil ? .list : preview.connects ? .connect : .join
        inviter = preview.inviter
        list = preview.list
        role = preview.role
        text = preview.text
        expires = preview.expires
        alsoConnects = purpose == .list && preview.connects
    }
}
