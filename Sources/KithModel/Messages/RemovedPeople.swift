/// All people whom a list's owner has removed: `GET /v1/lists/{list}/removed`.
package struct RemovedPeople: Hashable, Sendable, Codable {
    /// The people who are still kept out, the last removed first.
    package var people: [RemovedPerson]

    /// Creates an answer with these people.
    package init(people: [RemovedPerson]) {
        self.people = people
    }
}
