import Foundation
import KithModel

/// What contacts carry of a person's profile. It is worked out once, however many have that person among their contacts.
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

    /// What this contact record of the person carries: every field of the summary, null where it is not shown.
    func fields(in contact: RecordState) -> Fields {
        switch contact.relation {
        case .connected: network
        case .none where !contact.isBlocked: nobody
        default: everyone
        }
    }

    /// Tells one state of the details, which are asked for, from another; nil if none are among the shown fields.
    static func detailsTag(of shown: Fields) -> String? {
        let details = shown.filter { !NetworkContact.summary.contains($0.key) }
        guard !details.isEmpty else { return nil }
        return Data(Secret.sha256(CanonicalForm.text(.object(details))).prefix(9)).base64URL
    }
}
