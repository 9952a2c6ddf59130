import KithModel

/// Something that a person can name on the command line: a list, an item, a member, a contact.
package struct Nameable<ID: Hashable & CustomStringConvertible & Sendable>: Sendable {
    package let id: ID
    /// What it is called; nil if it has no name.
    package let name: String?
    /// Its number in the listing that the person has seen; nil if listings show none.
    package let number: Int?
    /// What else it is called.
    let otherNames: [String]
    /// What tells it from another of the same name.
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
