/// A mutation's number and the server's hash of its content. The hash distinguishes two devices with the same identity.
package struct Acknowledgement: Hashable, Sendable, Codable {
    /// The mutation's number; 0 before the first.
    package var number: Int64
    /// The server's hash of the mutation; empty for number 0. Opaque to the device.
    package var hash: String

    /// Creates an acknowledgement with these properties.
    package init(number: Int64, hash: String) {
        self.number = number
        self.hash = hash
    }

    /// The state before the first acknowledgement.
    package static let none = Acknowledgement(number: 0, hash: "")

    // MARK: JSON

    /// Reads an acknowledgement.
    init(_ reader: inout JSONReader) throws {
        var (number, hash): (Int64?, String?)
        try reader.object { reader, name in
            switch name {
            case "number": try reader.once(&number) { try $0.integer() }
            case "hash": try reader.once(&hash) { try $0.text() }
            default: try reader.skip()
            }
        }
        self.init(number: try number.orRefuse(), hash: try hash.orRefuse())
    }

    /// Writes an acknowledgement.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("number") { $0.integer(number) }
            json.member("hash") { $0.text(hash) }
        }
    }
}
