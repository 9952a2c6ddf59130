import Foundation
import Kith
import KithModel
import Testing

@Suite("Requests to the server other than rounds") struct OperationsTests {
    private static let list = ListID(UUID(high: 0x0190_0000_0000_7000, low: 3))
    private static let link = LinkID(UUID(high: 0x0190_0000_0000_7000, low: 4))
    private static let person = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 5))

    /// An operation of the protocol, and the call that asks for it.
    struct Operation: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let hasToken: Bool
        let call: @Sendable (Lists) async throws -> Void

        var testDescription: String { "\(method) \(path)" }
    }

    private static let operations = [
        Operation(method: "POST", path: "/v1/lists/\(list)/links", hasToken: true) {
            _ = try await $0.invite(to: list, as: .editor)
        },
        Operation(method: "POST", path: "/v1/lists/\(list)/links", hasToken: true) {
            _ = try await $0.publish(list, canTick: true)
        },
        Operation(method: "GET", path: "/v1/lists/\(list)/links", hasToken: true) { _ = try await $0.links(of: list) },
        Operation(method: "DELETE", path: "/v1/lists/\(list)/links/\(link)", hasToken: true) {
            try await $0.revoke(link, of: list)
        },
        Operation(method: "GET", path: "/v1/lists/\(list)/removed", hasToken: true) {
            _ = try await $0.removedPeople(of: list)
        },
        Operation(method: "DELETE", path: "/v1/lists/\(list)/removed/\(person)", hasToken: true) {
            try await $0.letIn(person, to: list)
        },
        Operation(method: "GET", path: "/v1/links/abc", hasToken: false) { _ = try await $0.preview(link: "abc") },
        Operation(method: "POST", path: "/v1/links/abc/accept", hasToken: true) {
            _ = try await $0.accept(link: "abc")
        },
        Operation(method: "GET", path: "/v1/public/abc", hasToken: false) { _ = try await $0.publicList(link: "abc") },
    ]

    @Test("are sent as the protocol says", arguments: operations) func request(_ operation: Operation) async throws {
        let phone = try Phone()
        _ = try await phone.client.session.open()
        // The server of these tests knows none of them.
        #expect(await code { try await operation.call(phone.lists) } == .notFound)
        let request = try #require(phone.server.requests.last)
        #expect(request.method == operation.method)
        #expect(request.path == operation.path)
        #expect((request.token != nil) == operation.hasToken)
    }

    @Test(
        "succeed only with a status from 200 to 299",
        arguments: [(199, .offline), (200, nil), (204, nil), (299, nil), (300, .offline)] as [(Int, KithError.Code?)])
    func statuses(status: Int, refusal: KithError.Code?) async throws {
        let phone = try Phone()
        _ = try await phone.client.session.open()
        phone.server.wire.instead = { request in
            request.method == "DELETE" ? TransportResponse(status: status, body: Data()) : nil
        }
        #expect(await code { try await phone.lists.letIn(Self.person, to: Self.list) } == refusal)
    }

    @Test(
        "fail with an error for each other status of a Kith server, and of the proxy in front of it",
        arguments: [
            (401, .tokenMissing, .unauthorized), (401, .tokenInvalid, .unauthorized),
            (401, .accountClosed, .accountClosed), (401, .busy, .refused), (403, .forbidden, .forbidden),
            (404, .notFound, .notFound), (410, .linkExpired, .notFound), (408, nil, .tooMany),
            (413, nil, .tooMany), (422, nil, .tooMany), (429, .quotaExceeded, .quotaExceeded), (429, nil, .busy),
            (500, nil, .busy), (599, nil, .busy), (400, .malformed, .refused), (600, .busy, .refused),
        ] as [(Int, Problem.Code?, KithError.Code)])
    func refusals(status: Int, problem: Problem.Code?, expected: KithError.Code) {
        let body = problem.map { FakeServer.problem(status, $0, "No.") } ?? Data("{}".utf8)
        let error = KithError(status: status, retryAfter: 7, body: body)
        #expect(error.code == expected)
        #expect(error.retryAfter == .seconds(7))
        #expect(error.sentence == (problem == nil ? "The server answered with status \(status)." : "No."))
    }

    @Test("say that the server is away if the proxy in front of it says so", arguments: [502, 503, 504])
    func away(status: Int) {
        let error = KithError(status: status, retryAfter: nil, body: Data("<html>".utf8))
        #expect(error.code == .busy)
        #expect(error.sentence == "The server is away for now (status \(status)). Try again later.")
    }

    @Test(
        "have not reached a server if something else answers, such as the page to sign in of a network",
        arguments: [300, 400, 401, 403, 404, 405, 410, 451, 600])
    func noKithServer(status: Int) async throws {
        let phone = try Phone()
        _ = try await phone.client.session.open()
        phone.server.refuse(status) { $0 == "/v1/links/abc" }
        let error = await #expect(throws: KithError.self) { _ = try await phone.lists.preview(link: "abc") }
        #expect(error?.code == .offline)
        #expect(
            error?.sentence == """
                What answers at the server's address is no Kith server (status \(status)). Check the address, and whether this \
                network has a page to sign in.
                """)
        // It may be another server the next time.
        let before = phone.server.identifications
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.identifications == before + 1)
    }

    @Test(
        "wait for at most a day if a Kith server asks for it, and for at most a minute if something else does",
        arguments: [61, 86_401, Int.max, -1, Int.min])
    func longWait(seconds: Int) {
        let asked = max(Duration.zero, .seconds(seconds))
        let own = KithError(status: 503, retryAfter: seconds, body: FakeServer.problem(503, .busy, "Later."))
        #expect(own.retryAfter == min(asked, .days(1)))
        let other = KithError(status: 503, retryAfter: seconds, body: Data("<html>".utf8))
        #expect(other.retryAfter == min(asked, .minutes(1)))
        // The body of such an answer is not read.
        #expect(KithError(refusedStream: 503, seconds).retryAfter == min(asked, .minutes(1)))
    }
}
