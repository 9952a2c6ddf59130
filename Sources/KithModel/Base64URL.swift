package import Foundation

extension Data {
    /// The bytes in Base64url without padding (RFC 4648, section 5).
    package var base64URL: String {
        let plain = base64EncodedString()
        return String(unsafeUninitializedCapacity: plain.utf8.count) { text in
            var end = 0
            for byte in plain.utf8 where byte != UInt8(ascii: "=") {
                text[end] =
                    switch byte {
                    case UInt8(ascii: "+"): UInt8(ascii: "-")
                    case UInt8(ascii: "/"): UInt8(ascii: "_")
                    default: byte
                    }
                end += 1
            }
            return end
        }
    }

    /// Decodes Base64url without padding; nil if the text is not valid.
    package init?(base64URL text: String) {
        var plain: [UInt8] = []
        plain.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: plain.append(byte)
            }
        }
        while plain.count % 4 != 0 { plain.append(UInt8(ascii: "=")) }
        self.init(base64Encoded: Data(plain))
    }
}
