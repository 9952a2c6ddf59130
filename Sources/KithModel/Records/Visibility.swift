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
