import Foundation
import KithModel

/// The part of a person's profile that contacts contain. It is computed once for all contacts of that person.
struct ProfileSummary {
    private let network: Fields
    private let everyone: Fields
    private let nobody: Fields

    /// The summary of a profile with these fields.
    init(of profile: Fields, isBot: Bool) {
        func summary(of shown: Fields) -> Fields {
            var summary: Fields = ["detailsTag": .text(Self.detailsTag(of: shown)), "isBot": isBot ? true : .null]
            for name in NetworkContact.summary { summary[name] = shown[name] ?? .null }
            return summary
        }
        network = summary(of: Profile.shown(profile, toNetwork: true))
        everyone = summary(of: Profile.shown(profile, toNetwork: false))
        nobody = summary(of: [:])
    }

    /// The fields of the summary for this contact record: every field, with null for the fields that are not shown.
    func fields(in contact: RecordState) -> Fields {
        switch contact.relation {
        case .connected: network
        case .none where !contact.isBlocked: nobody
        default: everyone
        }
    }

    /// A tag that identifies the state of the details, which are requested separately; nil if the shown fields have no
    /// details.
    static func detailsTag(of shown: Fields) -> String? {
        let details = shown.filter { !NetworkContact.summary.contains($0.key) }
        guard !details.isEmpty else { return nil }
        return Data(Secret.sha256(CanonicalForm.text(.object(details))).prefix(9)).base64URL
    }
}
