import Foundation
import KithModel

/// The part of a person's profile that contacts contain. It is computed once for all contacts of that person.
struct ProfileSummary {
    /// The part of the profile that a contact shows.
    enum Part: CaseIterable {
        /// What connected people may see.
        case network
        /// What everyone may see.
        case everyone
        case nothing

        /// The part that a contact with this relation shows.
        init(_ relation: NetworkContact.Relation, isBlocked: Bool) {
            switch relation {
            case .connected: self = .network
            case .none where !isBlocked: self = .nothing
            default: self = .everyone
            }
        }
    }

    private let parts: [Part: Fields]

    /// The summary of a profile with these fields.
    init(of profile: Fields, isBot: Bool) {
        func summary(of shown: Fields) -> Fields {
            var summary: Fields = ["detailsTag": .text(Self.detailsTag(of: shown)), "isBot": isBot ? true : .null]
            for name in NetworkContact.summary { summary[name] = shown[name] ?? .null }
            return summary
        }
        parts = [
            .network: summary(of: Profile.shown(profile, toNetwork: true)),
            .everyone: summary(of: Profile.shown(profile, toNetwork: false)), .nothing: summary(of: [:]),
        ]
    }

    /// The fields of a contact that shows this part: every field of the summary, with null for those that are not shown.
    func fields(_ part: Part) -> Fields { parts[part] ?? [:] }

    /// A tag that identifies the state of the details, which are requested separately; nil if the shown fields have no
    /// details.
    static func detailsTag(of shown: Fields) -> String? {
        let details = shown.filter { !NetworkContact.summary.contains($0.key) }
        guard !details.isEmpty else { return nil }
        return Data(Secret.sha256(CanonicalForm.text(.object(details))).prefix(9)).base64URL
    }
}
