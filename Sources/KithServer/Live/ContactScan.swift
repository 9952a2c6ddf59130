package import KithModel

/// How the owner of a contact stands to the other person, and whether the owner shows their presence to them: the two
/// are connected, and the other is not blocked.
///
/// It is read from the stored canonical text without decoding the fields. An account with ten thousand contacts
/// therefore opens a stream as fast as any other.
package struct ContactScan {
    /// Whether the owner has blocked the other.
    package private(set) var isBlocked = false
    private var wish = NetworkContact.Wish.none
    private var isAsked = false
    /// When the owner was last online before the block.
    private var seen: Timestamp?

    /// Scans a contact's fields, as ``StoredText`` writes them.
    ///
    /// - Throws: ``ServerError`` with the code `busy` for another text.
    package init(_ text: String) throws {
        var utf8 = text
        do {
            try utf8.withUTF8 { bytes in try read(bytes) }
        } catch is StoredMembers.Unreadable {
            throw StoredText.unreadable
        }
    }

    /// The relation of the two, from the owner's view.
    package var relation: NetworkContact.Relation { NetworkContact.relation(wish, isAsked: isAsked) }

    /// Whether the other may see the owner's presence.
    package var letsKnow: Bool { relation == .connected && !isBlocked }

    /// When the owner was last online before the block, if the other is blocked and connected.
    package var blocked: Timestamp? { relation == .connected && isBlocked ? seen : nil }

    /// Goes through the members of the outermost object. The content of a value is never mistaken for a member.
    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(StoredMembers.Unreadable) {
        var members = try StoredMembers(bytes)
        while let (name, value) = try members.next() {
            let (field, json) = (bytes[name], bytes[value])
            switch field {
            case _ where field.elementsEqual("asked".utf8): isAsked = true
            case _ where field.elementsEqual("isBlocked".utf8): isBlocked = json.first == UInt8(ascii: "t")
            case _ where field.elementsEqual("blocked".utf8):
                seen = Int64(String(decoding: json, as: UTF8.self)).map(Timestamp.init(milliseconds:))
            case _ where field.elementsEqual("wish".utf8):
                let text = String(decoding: json.dropFirst().dropLast(), as: UTF8.self)
                wish = NetworkContact.Wish(rawValue: text) ?? NetworkContact.Wish.none
            default: break
            }
        }
    }
}
