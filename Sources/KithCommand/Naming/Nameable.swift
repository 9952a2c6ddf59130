/// Something that a user can name on the command line: a list, an item, a member, a contact.
package struct Nameable<ID: Hashable & CustomStringConvertible & Sendable>: Sendable {
    package let id: ID
    /// The name; nil if there is none.
    package let name: String?
    /// The number in the listing that the user has seen; nil if listings have no numbers.
    package let number: Int?
    /// Further names.
    let otherNames: [String]
    /// A text that distinguishes it from others of the same name.
    let distinction: String?

    package init(
        id: ID, name: String?, number: Int? = nil, otherNames: [String] = [], distinction: String? = nil
    ) {
        self.id = id
        self.name = name
        self.number = number
        self.otherNames = otherNames
        self.distinction = distinction
    }

    func isCalled(_ fits: (String) -> Bool) -> Bool {
        name.map(fits) ?? false || otherNames.contains(where: fits)
    }
}
