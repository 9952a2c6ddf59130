/// The sessions of an account, oldest first: `GET /v1/sessions`.
package struct SessionList: Hashable, Sendable, Codable {
    package var sessions: [SessionEntry]

    package init(sessions: [SessionEntry]) { self.sessions = sessions }
}
