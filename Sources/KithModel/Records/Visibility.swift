/// Who may see a part of a profile.
public enum Visibility: String, CaseIterable, Comparable, Sendable, Codable {
    /// Nobody but the person.
    case nobody
    /// The people that the person is connected with.
    case network
    /// Anyone who knows or finds the account.
    case everyone

    /// Whether `left` includes fewer people.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .nobody: 0
        case .network: 1
        case .everyone: 2
        }
    }
}

extension Profile {
    /// A part of a profile with its own visibility. Its raw value is the field's name.
    public enum Part: String, CaseIterable, Hashable, Sendable, Codable {
        /// A part of the name, the work, the status or the picture.
        case given, family, nick, title, jobTitle, company, status, picture
        /// A way to reach the person, or information about where they live.
        case phones, emails, addresses, sites, language, country, timeZone
        /// Whether the person is online. Visible to the network at most.
        case presence
        /// The time when the person was last seen. Visible to the network at most.
        case lastSeen

        /// The visibility until the profile's owner chooses one.
        public var standard: Visibility {
            switch self {
            case .given, .family, .nick, .picture: .everyone
            default: .network
            }
        }

        /// The widest visibility that can be chosen.
        public var widest: Visibility {
            switch self {
            case .presence, .lastSeen: .network
            default: .everyone
            }
        }

        /// The field that contains the part's visibility.
        package var visibilityField: String { rawValue + "Visibility" }

        /// The fields of the part. Presence and last seen have none.
        package var fields: [String] {
            switch self {
            case .picture: PictureSize.allCases.map(\.field)
            case .presence, .lastSeen: []
            default: [rawValue]
            }
        }

        /// The visibility of the part in a profile with these fields.
        package func visibility(in fields: Fields) -> Visibility {
            let chosen = fields[visibilityField]?.text.flatMap(Visibility.init) ?? standard
            return min(chosen, widest)
        }
    }

    /// The fields of a profile that another account may see, depending on whether it is in the network.
    ///
    /// The visibility settings are not included.
    package static func shown(_ fields: Fields, toNetwork isInNetwork: Bool) -> Fields {
        var shown: Fields = [:]
        for part in Part.allCases where part.visibility(in: fields) >= (isInNetwork ? .network : .everyone) {
            for name in part.fields { shown[name] = fields[name] }
        }
        return shown
    }
}
