extension Acknowledgement {
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
}

extension JSONWriter {
    /// Writes what a device or the server knows to be taken, as requests and answers have it.
    mutating func acknowledgement(_ acknowledgement: Acknowledgement) {
        object { json in
            json.member("number") { $0.integer(acknowledgement.number) }
            json.member("hash") { $0.text(acknowledgement.hash) }
        }
    }
}
