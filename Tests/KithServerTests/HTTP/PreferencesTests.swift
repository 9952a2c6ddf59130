import Foundation
import HTTPTypes
import KithModel
import KithServer
import Testing

@Suite("A client that prefers minimal answers") struct PreferencesTests {
    @Test(
        "says so with return=minimal, alone or among other preferences, in every notation of RFC 7240",
        arguments: [
            ["return=minimal"], ["Return=Minimal"], ["return\t= minimal"], ["return=\"minimal\""],
            ["return=minimal; note=\"a, b; c\""], ["return=minimal;"], [", return=minimal ,"],
            ["respond-async, wait=10, return=minimal"], ["respond-async", "return=minimal"],
            ["note=\"\\\", return=representation\", return=minimal"], ["return=minimal, return=representation"],
        ])
    func wants(values: [String]) { #expect(preferences(values).wantsMinimal) }

    @Test(
        "is not taken for one that prefers something else, or sends what is not well-formed",
        arguments: [
            [], [""], ["return=representation"], ["return"], ["return="], ["minimal"], ["returns=minimal"],
            ["return minimal"], ["return=minimal=1"], ["return=minimal x"], ["=return=minimal"], ["return='minimal'"],
            ["\"return=minimal\""], ["\"return\"=minimal"], ["return=\"minimal"], ["return=\"minimal\\\""],
            ["note; return=minimal"], ["note=\"a, return=minimal\""], ["note=\"\\\", return=minimal"],
            ["return=representation, return=minimal"], ["return=representation", "return=minimal"],
        ])
    func others(values: [String]) { #expect(!preferences(values).wantsMinimal) }

    private func preferences(_ values: [String]) -> Preferences {
        // The name is constant and valid.
        Preferences(HTTPFields(values.map { HTTPField(name: HTTPField.Name("Prefer")!, value: $0) }))
    }

    @Test("gets a round with nothing new in at most 250 bytes; any other client gets every member")
    func idle() async throws {
        try await TestServer.run { server in
            var device = TestDevice(try await server.newSession())
            _ = try await device.makeList("Groceries", with: server)
            let answer = try await device.sync(with: server)
            let head = """
                {"account":"\(answer.account)","time":\(answer.time.milliseconds),"epoch":"\(answer.epoch)",\
                "device":"recognised","acknowledged":{"number":1,"hash":"\(answer.acknowledged.hash)"},
                """
            let token = "\"token\":\"\(answer.token.rawValue)\""
            for other in [nil, "return=representation"] {
                let whole = try await round(of: device, preferring: other, with: server)
                let lists = #""outcomes":[],"records":[],"feeds":[],"lost":[],"#
                #expect(String(decoding: whole, as: UTF8.self) == head + lists + token + #","more":false}"#)
            }
            let minimal = try await round(of: device, preferring: "return=minimal", with: server)
            #expect(String(decoding: minimal, as: UTF8.self) == head + token + "}")
            #expect(minimal.count <= 250)
        }
    }

    @Test("gets the members that have news, also in a large answer") func large() async throws {
        try await TestServer.run { server in
            var device = TestDevice(try await server.newSession())
            let list = try await device.makeList("Groceries", with: server)
            let items = (1...AnswerSize.small.records + 1).map { [device] number in
                device.mutation(Int64(number), .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
            }
            let body = try await round(of: device, items, preferring: "return=minimal", with: server)
            let names = try JSONDecoder().decode(Fields.self, from: body).keys.sorted()
            #expect(names == ["account", "acknowledged", "device", "epoch", "feeds", "records", "time", "token"])
        }
    }

    /// The body of the answer to a round.
    private func round(
        of device: TestDevice, _ mutations: [Mutation] = [], preferring preference: String?, with server: TestServer
    ) async throws -> Data {
        var headers = ["Content-Type": "application/json"]
        headers["Prefer"] = preference
        let reply = try await server.ask(
            "POST", "/v1/sync", token: device.session.token, headers: headers, body: device.request(mutations).json)
        try #require(reply.status == 200)
        return reply.body
    }
}
