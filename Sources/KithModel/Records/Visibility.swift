/// Who may see a part of a profile.
public enum Visibility: String, CaseIterable, Comparable, Sendable, Codable {
    /// Nobody but the person.
    case nobody
    /// The people that the person is connected with.
    case network
    /// Whoever knows the account, or finds it.
    case everyone

    /// Whether `left` is seen by fewer.
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
    /// A part of a profile whose visibility can be chosen. Its raw value names the field.
    public enum Part: String, CaseIterable, Hashable, Sendable, Codable {
        case given, family, nick, title, jobTitle, company, status, picture
        case phones, emails, addresses, sites, language, country, timeZone
        /// Whether the person is online. For the network at most.
        case presence
        /// When the person was last online. For the network at most.
        case lastSeen

        /// Who sees the part as long as its owner has not chosen.
        public var standard: Visibility {
            switch self {
            case .given, .family, .nick, .picture: .everyone
            default: .network
            }
        }

        /// The most people that the part can be shown to.
        public var widest: Visibility {
            switch self {
            case .presence, .lastSeen: .network
            default: .everyone
            }
        }

        /// The field that says who may see the part.
        package var visibilityField: String { rawValue + "Visibility" }

        /// The fields that the part is made of; presence is in none.
        package var fields: [String] {
            switch self {
            case .picture: PictureSize.allCases.map(\.field)
            case .presence, .lastSeen: []
            default: [rawValue]
            }
        }

        /// Who may see the part of a profile with these fields.
        package func visibility(in fields: Fields) -> Visibility {
            let chosen = fields[visibilityField]?.text.flatMap(Visibility.init) ?? standard
            return min(chosen, widest)
        }
    }

    /// What someone else sees of a profile with these fields: an account that is in its network, or any other.
    ///
    /// The choices about visibility are among what nobody else sees.
    package static func shown(_ fields: Fields, toNetwork isInNetwork: Bool) -> Fields {
        var shown: Fields = [:]
        for part in Part.allCases where part.visibility(in: fields) >= (isInNetwork ? .network : .everyone) {
            for name in part.fields { shown[name] = fields[name] }
        }
        return shown
    }
}
