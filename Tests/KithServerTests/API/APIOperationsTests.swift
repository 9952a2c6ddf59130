import Foundation
import HTTPTypes
import KithModel
import KithServer
import Testing

@Suite("The table of operations") struct APIOperationsTests {
    @Test("openapi.json describes each operation under its name, method and path, and no other") func described() throws
    {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let file = try Data(contentsOf: root.appending(path: "Documentation/openapi.json"))
        guard case .object(let description) = try JSONDecoder().decode(FieldValue.self, from: file),
            case .object(let paths) = description["paths"]
        else {
            Issue.record("The description has no paths.")
            return
        }
        var described: Set<String> = []
        for (path, operations) in paths {
            guard case .object(let operations) = operations else { continue }
            for (method, operation) in operations where method != "parameters" {
                guard case .object(let operation) = operation else { continue }
                described.insert("\(operation["operationId"]?.text ?? "?") \(method.uppercased()) \(path)")
            }
        }
        let table = APIOperations.all.map { "\($0.name) \($0.method.rawValue) \($0.path)" }
        #expect(Set(table) == described)
        #expect(Set(table).count == table.count && Set(APIOperations.all.map(\.name)).count == table.count)
    }

    @Test("A path without parameters is found with each of its methods, and with a query", .timeLimit(.minutes(15)))
    func withoutParameters() async throws {
        try await TestServer.run { server in
            let token = try await server.newSession().token
            for (method, path, status) in [
                ("GET", "/health", 200), ("HEAD", "/health", 200), ("GET", "/health?", 200),
                ("GET", "/health?a=/b", 200), ("POST", "/health", 405), ("GET", "/v1/sync?a", 405),
                ("GET", "/v1/session", 200), ("DELETE", "/v1/session", 204),
            ] {
                let reply = try await server.ask(method, path, token: token)
                #expect(reply.status == status, "\(method) \(path)")
            }
        }
    }

    @Test("A path that is only similar to an operation's does not exist", .timeLimit(.minutes(15)))
    func strays() async throws {
        let paths = [
            "//", "//health", "/Health", "/health/", "/%68ealth", "/v1//session", "/v1/links/", "/v1/links/a/b",
            "/v1/links/a%2Fb", "/v1/lists/1/links", "/v1/public/\(String(repeating: "a", count: 129))",
            "/v1/links/%C3%A4", "/v1/accounts/\(UUID())/picture/huge", "/v1/accounts/x", "/v1/pictures/a0",
        ]
        try await TestServer.run { server in
            let session = try await server.newSession()
            for path in paths {
                let reply = try await server.ask("GET", path, token: session.token)
                #expect(reply.status == 404, "\(path)")
                #expect(try await server.ask("PATCH", path, token: session.token).status == 404, "\(path)")
            }
        }
    }
}
