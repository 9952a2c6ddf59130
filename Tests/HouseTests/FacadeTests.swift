import Testing

/// An app that joins several calls into one `client.write` finds each of them in `Changes` by the name that it knows.
@Suite("The facades of the client and Changes") struct FacadeTests {
    /// An edit of a facade, and the method of `Changes` or `SharingEdits` that makes it.
    struct Edit: Equatable {
        let name: String
        let method: String
    }

    static let facades = ["Invitations/Invitations", "Lists/Lists", "Network/Network", "Sharing/Sharing"]

    @Test("An edit has the same name in both", arguments: facades)
    func names(facade: String) throws {
        let file = try #require(House.standing.file("Sources/Kith/\(facade).swift"))
        let edits = Self.edits(in: file.text)
        #expect(edits.count >= 5, "The search finds too few edits.")
        for edit in edits { #expect(edit.name == edit.method, "\(facade): give both the name of the facade.") }
    }

    @Test("A public function that only makes an edit is found, one that does more is not")
    func search() {
        let code = """
            public func remove(_ id: ListID) async throws { try await client.edit { try $0.removeList(id) } }
            public func make(
                _ name: String
            ) async throws -> ListID {
                try await client.write {
                    try $0.make(name)
                }
            }
            public func compose() async throws {
                let secret = try newSecret()
                try await client.edit { try $0.invite(secret) }
            }
            """
        #expect(
            Self.edits(in: code) == [Edit(name: "remove", method: "removeList"), Edit(name: "make", method: "make")])
    }

    /// The public functions that do nothing but make one edit.
    private static func edits(in code: String) -> [Edit] {
        let edit = /public func (\w+)[^{}]*\{\s*try await (?:client\.)?(?:edit|write) \{\s*try \$0\.(\w+)/
        return code.matches(of: edit).map { Edit(name: String($0.1), method: String($0.2)) }
    }
}
