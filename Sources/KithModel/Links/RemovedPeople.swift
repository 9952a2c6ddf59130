/// All people that a list's owner has removed: `GET /v1/lists/{list}/removed`.
package struct RemovedPeople: Hashable, Sendable, Codable {
    /// The people who cannot join again, most recently removed first.
    package var people: [RemovedPerson]

    /// Creates an answer with these people.
    package init(people: [RemovedPerson]) {
        self.people = people
    }
}
