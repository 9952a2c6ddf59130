import KithModel

/// The server's endpoints for the links of lists, and for the people that an owner has removed from one.
extension SessionConnection {
    func createLink(_ link: LinkRequest, to list: ListID) async throws -> ListLink {
        try await make("/v1/lists/\(list)/links", body: link)
    }

    func links(of list: ListID) async throws -> [ListLink] {
        try await (call("GET", "/v1/lists/\(list)/links") as ListLinks).links
    }

    func revoke(_ link: LinkID, of list: ListID) async throws {
        _ = try await send("DELETE", "/v1/lists/\(list)/links/\(link)", body: nil)
    }

    func removedPeople(of list: ListID) async throws -> [RemovedPerson] {
        try await (call("GET", "/v1/lists/\(list)/removed") as RemovedPeople).people
    }

    func letIn(_ account: AccountID, to list: ListID) async throws {
        _ = try await send("DELETE", "/v1/lists/\(list)/removed/\(account)", body: nil)
    }

    func accept(_ link: String) async throws -> LinkAcceptance {
        try await call("POST", "/v1/links/\(link)/accept")
    }
}

extension ServerConnection {
    func preview(_ link: String) async throws -> LinkPreview {
        try await call("GET", "/v1/links/\(link)")
    }

    func publicList(_ link: String) async throws -> PublicList {
        try await call("GET", "/v1/public/\(link)")
    }
}
