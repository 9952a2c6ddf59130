package import KithModel

/// What a device has of its owner's profile and of the people they have to do with: two devices of one account that
/// are in step are the same picture.
package struct PeoplePicture: Hashable, Sendable {
    private let profile: Profile
    private let people: [AccountID: NetworkContact]

    package init(_ profile: Profile, _ people: [NetworkContact]) {
        self.profile = profile
        self.people = Dictionary(people.map { ($0.id, $0) }) { first, _ in first }
    }

    /// What is not the same, a line each; empty if all is.
    package func differences(from other: PeoplePicture) -> [String] {
        let mine = profile == other.profile ? [] : ["The profile: \(profile) / \(other.profile)"]
        return mine
            + Set(people.keys).union(other.people.keys).sorted().compactMap { id in
                let (here, there) = (people[id], other.people[id])
                if here == there { return nil }
                return "\(id): \(here.map { "\($0)" } ?? "nobody") / \(there.map { "\($0)" } ?? "nobody")"
            }
    }

    /// What the story ends with.
    ///
    /// - Throws: ``Failure`` with what differs, unless the two are the same.
    package func verdict(besides fresh: PeoplePicture) throws -> String {
        let differences = differences(from: fresh)
        if !differences.isEmpty {
            throw Failure(
                .failed, "demo", "What is shown of people is not what a fresh start shows:",
                candidates: Array(differences.prefix(40)))
        }
        return "the profile and \(people.count) of \(fresh.people.count) people are equal to a fresh start: every field"
    }
}
