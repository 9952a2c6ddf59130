/// The result of a directory search: `GET /v1/directory?name=…`.
package struct DirectoryAnswer: Hashable, Sendable, Codable {
    /// The matching people, at most ``Limits/directory``, ordered by name.
    package var people: [ShownProfile]
    /// Whether there are more matches; nil if not.
    package var more: Bool?

    /// Creates an answer with these people.
    package init(people: [ShownProfile], more: Bool? = nil) {
        self.people = people
        self.more = more
    }
}
