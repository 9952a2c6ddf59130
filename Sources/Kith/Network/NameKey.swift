import KithModel

/// The place of a contact in a list ordered by name.
struct NameKey: Comparable {
    /// The index of the contact in the unordered list.
    let place: Int
    /// The first eight letters of the folded name, in which most names differ; the highest number for no name.
    private let head: UInt64
    private let name: [UInt8]
    private let id: AccountID

    init(_ contact: NetworkContact, at place: Int) {
        self.place = place
        id = contact.id
        name = FoldedText(contact.fullName ?? "").bytes
        var head: UInt64 = 0
        // A space precedes each word.
        for index in 1...8 { head = head << 8 | (index < name.count ? UInt64(name[index]) : 0) }
        self.head = name.isEmpty ? .max : head
    }

    static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.id == right.id }

    static func < (left: Self, right: Self) -> Bool {
        if left.head != right.head { return left.head < right.head }
        if left.name != right.name { return left.name.lexicographicallyPrecedes(right.name) }
        return left.id < right.id
    }
}
