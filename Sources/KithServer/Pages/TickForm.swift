package import KithModel

/// The form of an item on the page of a public link: a button that ticks it, or takes the tick back.
package struct TickForm: Hashable, Sendable {
    package let item: ItemID
    /// Whether the item is ticked afterwards.
    package let isTicked: Bool
    /// The share link whose page has the form; nil for the page of the public link.
    package let origin: ShareLink?
    /// The ticket of the page, which becomes the secret of a browser that has none yet. So a form that is sent again before
    /// its answer has arrived has the same giver.
    package let ticket: PageTicket?

    /// Reads a form; nil if a field is missing or invalid.
    package init?(_ fields: FormFields) {
        guard let item = fields["item"].flatMap({ ItemID($0) }), let ticked = fields["ticked"],
            ["yes", "no"].contains(ticked)
        else { return nil }
        self.item = item
        isTicked = ticked == "yes"
        origin = ShareLink(fields)
        ticket = fields["ticket"].flatMap { PageTicket($0) }
        if origin == nil, fields["share"] != nil { return nil }
        if ticket == nil, fields["ticket"] != nil { return nil }
    }
}
