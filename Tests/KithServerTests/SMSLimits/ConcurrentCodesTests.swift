import KithModel
import KithServer
import Processes
import Testing

@Suite(
    "Codes by SMS that are requested at once", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct ConcurrentCodesTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    @Test("Trap: codes that are requested at once do not count each other – twenty SMS go to a prefix, the others wait")
    func velocity() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            var settings = PhoneSettings()
            (settings.numberingPlan, settings.countries) = (TestPlan(), [TestPlan.austria])
            let world = try SignInWorld(database: database, phone: settings)
            var sessions: [NewSession] = []
            for _ in 0..<40 { sessions.append(try await world.open()) }
            let codes = await withTaskGroup(of: Problem.Code?.self) { group in
                for (index, session) in sessions.enumerated() {
                    group.addTask {
                        await errorCode {
                            try await world.request("+43664123\(1_000 + index)", by: session, from: "203.0.\(index).7")
                        }
                    }
                }
                return await group.reduce(into: [Problem.Code?]()) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 20)
            #expect(codes.count { $0 == .tooFast } == 20)
            #expect(try await world.count("sms") == 20)
        }
    }
}
