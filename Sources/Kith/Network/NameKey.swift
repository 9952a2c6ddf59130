import KithModel

/// The place of a contact in a list ordered by name.
struct NameKey: Comparable {
    /// The index of the contact in the unordered list.
    let place: Int
    /// The first sixteen letters of the folded name, in which most names differ; the highest numbers for no name.
    private let head: (UInt64, UInt64)
    private let name: [UInt8]
    private let id: AccountID

    init(_ contact: NetworkContact, at place: Int) {
        self.place = place
        id = contact.id
        name = FoldedText(contact.fullName ?? "").bytes
        // A space precedes each word.
        head = name.isEmpty ? (.max, .max) : (Self.letters(of: name, from: 1), Self.letters(of: name, from: 9))
    }

    /// Eight letters as a number that has their order; zeros after the end of the name.
    private static func letters(of name: [UInt8], from start: Int) -> UInt64 {
        (start..<start + 8).reduce(0) { $0 << 8 | ($1 < name.count ? UInt64(name[$1]) : 0) }
    }

    static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.id == right.id }

    static func < (left: Self, right: Self) -> Bool {
        if left.head != right.head { return left.head < right.head }
        if left.name != right.name { return left.name.lexicographicallyPrecedes(right.name) }
        return left.id < right.id
    }
}
