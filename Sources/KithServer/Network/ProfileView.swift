import Foundation
import KithModel

/// What someone sees of another's profile, cut into what their contact carries and what they have to ask for.
enum ProfileView {
    /// What a contact carries of a profile with these fields: every summary field, null where it is not shown; and what
    /// tells one state of the other shown fields from another, nil if there are none.
    static func summary(of fields: Fields, toNetwork: Bool) -> (fields: Fields, detailsTag: String?) {
        let shown = Profile.shown(fields, toNetwork: toNetwork)
        var summary: Fields = [:]
        for name in NetworkContact.summary { summary[name] = shown[name] ?? .null }
        let details = shown.filter { !NetworkContact.summary.contains($0.key) }
        guard !details.isEmpty else { return (summary, nil) }
        let hash = Secret.sha256(CanonicalForm.text(.object(details)))
        return (summary, Secret.base64url(hash.prefix(9)))
    }
}
