/// A written property. Two are equal if they differ only in their folds.
struct WrittenLine: Hashable {
    let name: String
    /// The group in capitals; nil without one.
    let group: String?
    /// The line with its folds and its line end, as in its card.
    private let bytes: [UInt8]
    private let header: [UInt8]
    private let value: [UInt8]

    init(_ property: VCard.Property) {
        (name, group) = (property.name, property.group?.uppercased())
        bytes = Array(property.bytes)
        (header, value) = (property.headerBytes, Array(property.rawValue))
    }

    /// The bytes of the line with this line end.
    func bytes(lineEnd: [UInt8]) -> [UInt8] {
        var rewritten: [UInt8] = []
        rewritten.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            // A CR before a LF belongs to the line end.
            case .carriageReturn where index + 1 < bytes.count && bytes[index + 1] == .lineFeed: continue
            case .carriageReturn, .lineFeed: rewritten += lineEnd
            default: rewritten.append(byte)
            }
        }
        return rewritten
    }

    static func == (left: WrittenLine, right: WrittenLine) -> Bool {
        left.header == right.header && left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(header)
        hasher.combine(value)
    }
}
