import KithCards

/// What a conversion does not bring back as it was, and why that is right.
struct ConversionException: Sendable {
    let reason: String
    /// Turns what a property told into what is told in its place afterwards; nil if it is as it was.
    let foretell: @Sendable (ToldProperty, VCard, Conversion) -> [ToldProperty]?

    private init(
        _ reason: String, _ foretell: @escaping @Sendable (ToldProperty, VCard, Conversion) -> [ToldProperty]?
    ) {
        (self.reason, self.foretell) = (reason, foretell)
    }

    /// All of them.
    static let all = [
        ConversionException(
            "A program's own property for a day or a person becomes the one that other versions and JSContact have."
        ) { told, vCard, way in
            guard way != .again, let other = Self.common[told.name] else { return nil }
            var told = told
            told.name = vCard.version == .v4_0 ? other.new : other.old
            return vCard.version == .v4_0 ? [told] : [told] + (other.isLabelled ? [ToldProperty("X-ABLABEL")] : [])
        },
        ConversionException("What Apple's labels say in the words of TYPE is said by these.") { told, vCard, _ in
            guard let group = told.group, let label = Self.appleLabel(of: group, in: vCard) else { return nil }
            if told.name == "X-ABLABEL" { return [] }
            var told = told
            told.types.insert(label)
            return [told]
        },
        ConversionException("A birthday without a year has Apple's mark in version 3.0.") { told, vCard, way in
            let isWithoutYear = vCard.properties.contains { $0.name == "BDAY" && $0.text.hasPrefix("--") }
            guard way != .again, vCard.version == .v3_0, told.name == "BDAY", isWithoutYear else { return nil }
            var told = told
            told.parameters["X-APPLE-OMIT-YEAR"] = ["1604"]
            return [told]
        },
        ConversionException("A messenger's own property without the messenger's name becomes IMPP.") {
            told, vCard, way in
            guard way != .again, told.name == "X-MS-IMADDRESS" else { return nil }
            var told = told
            told.name = vCard.version == .v4_0 ? "SOCIALPROFILE" : "IMPP"
            return [told]
        },
        ConversionException("Version 4.0 has the coordinates and the time zone of an address in its parameters.") {
            told, vCard, way in
            let hasAddress = vCard.properties.contains { $0.name == "ADR" }
            guard way != .again, vCard.version == .v4_0, hasAddress else { return nil }
            if told.name == "GEO" || told.name == "TZ" { return [] }
            guard told.name == "ADR" else { return nil }
            var told = told
            for address in Card(vCard).addresses {
                told.parameters["GEO"] = address.coordinates.map { [$0] }
                told.parameters["TZ"] = address.timeZone.map { [$0] }
            }
            return [told]
        },
        ConversionException("Versions 2.1 and 3.0 know no preference but the first.") { told, vCard, way in
            guard [.through2, .through3].contains(way), told.parameters["PREF"] != nil else { return nil }
            var told = told
            told.parameters["PREF"] = nil
            return [told]
        },
    ]

    /// The word of TYPE that the label of a group stands for, if it is one of Apple's that do.
    private static func appleLabel(of group: String, in vCard: VCard) -> String? {
        let labels = vCard.properties.filter { $0.name == "X-ABLABEL" && $0.group?.lowercased() == group }
        return labels.lazy.compactMap { Self.words[$0.text] }.first
    }

    private static let words = ["_$!<Mobile>!$_": "cell", "_$!<Work>!$_": "work", "_$!<Home>!$_": "home"]

    private static let common: [String: (old: String, new: String, isLabelled: Bool)] = [
        "X-EVOLUTION-SPOUSE": ("X-ABRELATEDNAMES", "RELATED", true),
        "X-EVOLUTION-ANNIVERSARY": ("X-ABDATE", "ANNIVERSARY", true),
        "X-MS-ANNIVERSARY": ("X-ABDATE", "ANNIVERSARY", true),
    ]

    /// What a vCard should tell after a conversion, but for these exceptions.
    static func foretell(_ vCard: VCard, _ way: Conversion, by exceptions: [ConversionException]) -> [ToldProperty] {
        ToldProperty.all(of: vCard).flatMap { told -> [ToldProperty] in
            for exception in exceptions {
                if let instead = exception.foretell(told, vCard, way) { return instead }
            }
            return [told]
        }
    }
}
