/// The stamps of a record's fields. Most fields of a record are set together, so they share one stamp; the others have
/// their own stamps.
package struct Stamps: Hashable, Sendable {
    /// The stamp of the fields without their own.
    package private(set) var common: Stamp
    /// The stamps that differ from the common one, by field.
    package private(set) var own: [String: Stamp]

    /// Creates stamps from the common one and those that differ from it.
    package init(common: Stamp, own: [String: Stamp] = [:]) {
        self.common = common
        self.own = own
    }

    /// The stamp of `field`.
    package subscript(field: String) -> Stamp {
        get { own[field] ?? common }
        set { own[field] = newValue == common ? nil : newValue }
    }
}

extension Stamps: Codable {
    /// Reads the stamps by field; the common one has the empty name.
    package init(from decoder: any Decoder) throws {
        var own = try decoder.singleValueContainer().decode([String: Stamp].self)
        guard let common = own.removeValue(forKey: "") else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "The common stamp is missing."))
        }
        self.init(common: common, own: own)
    }

    /// Writes the stamps by field; the common one has the empty name.
    package func encode(to encoder: any Encoder) throws {
        var all = own
        all[""] = common
        var container = encoder.singleValueContainer()
        try container.encode(all)
    }
}
