package import KithModel

/// Whether the owner of a contact shows their presence to the other person: the two are connected, and the other is not
/// blocked.
///
/// It is read from the stored canonical text without decoding the fields. An account with ten thousand contacts
/// therefore opens a stream as fast as any other.
package struct ContactScan {
    /// Whether the other may see the owner's presence.
    package let letsKnow: Bool
    /// When the owner was last online before the block, if the other is blocked and connected.
    package let blocked: Timestamp?

    /// Scans a contact's fields, as ``StoredText`` writes them.
    package init(_ text: String) {
        var text = text
        (letsKnow, blocked) = text.withUTF8 { bytes in
            var scan = Reader(bytes: bytes)
            return scan.read()
        }
    }

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var at = 0

        /// Goes through the members of the outermost object. The content of a value is never mistaken for a member.
        mutating func read() -> (letsKnow: Bool, blocked: Timestamp?) {
            var (isAsked, wishes, isBlocked) = (false, false, false)
            var blocked: Timestamp?
            at = 1
            while at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
                let name = string()
                at += 1
                let start = at
                skipValue()
                switch name {
                case _ where name.elementsEqual("asked".utf8): isAsked = true
                case _ where name.elementsEqual("isBlocked".utf8):
                    isBlocked = bytes[start] == UInt8(ascii: "t")
                case _ where name.elementsEqual("blocked".utf8):
                    blocked = Int64(String(decoding: bytes[start..<at], as: UTF8.self)).map(
                        Timestamp.init(milliseconds:))
                case _ where name.elementsEqual("wish".utf8):
                    let wish = String(decoding: bytes[start..<at].dropFirst().dropLast(), as: UTF8.self)
                    wishes = NetworkContact.Wish(rawValue: wish)?.isForConnection ?? false
                default: break
                }
                // Past the comma.
                at += 1
            }
            let isConnected = isAsked && wishes
            return (isConnected && !isBlocked, isConnected && isBlocked ? blocked : nil)
        }

        /// Reads the raw text of a string between its quotation marks.
        private mutating func string() -> Slice<UnsafeBufferPointer<UInt8>> {
            let start = at + 1
            at = start
            while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
            let end = min(at, bytes.count)
            at += 1
            return bytes[start..<end]
        }

        private mutating func skipValue() {
            var depth = 0
            while at < bytes.count {
                switch bytes[at] {
                case UInt8(ascii: "\""):
                    _ = string()
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return }
                    depth -= 1
                case UInt8(ascii: ",") where depth == 0: return
                default: break
                }
                at += 1
            }
        }
    }
}
