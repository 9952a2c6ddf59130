import KithModel

/// The server's endpoints for the links of lists, and for the people that an owner has removed from one.
extension ServerConnection {
    func createLink(_ link: LinkRequest, to list: ListID, token: String) async throws -> ListLink {
        try await make("/v1/lists/\(list)/links", token: token, body: link)
    }

    func links(of list: ListID, token: String) async throws -> [ListLink] {
        try await (call("GET", "/v1/lists/\(list)/links", token: token) as ListLinks).links
    }

    func revoke(_ link: LinkID, of list: ListID, token: String) async throws {
        _ = try await send("DELETE", "/v1/lists/\(list)/links/\(link)", token: token, body: nil)
    }

    func removedPeople(of list: ListID, token: String) async throws -> [RemovedPerson] {
        try await (call("GET", "/v1/lists/\(list)/removed", token: token) as RemovedPeople).people
    }

    func letIn(_ account: AccountID, to list: ListID, token: String) async throws {
        _ = try await send("DELETE", "/v1/lists/\(list)/removed/\(account)", token: token, body: nil)
    }

    func preview(_ link: String) async throws -> LinkPreview {
        try await call("GET", "/v1/links/\(link)")
    }

    func accept(_ link: String, token: String) async throws -> LinkAcceptance {
        try await call("POST", "/v1/links/\(link)/accept", token: token)
    }

    func publicList(_ link: String) async throws -> PublicList {
        try await call("GET", "/v1/public/\(link)")
    }
}
