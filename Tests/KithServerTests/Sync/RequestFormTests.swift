import KithModel
import KithServer
import Testing

@Suite("The form of a request") struct RequestFormTests {
    let town: Town
    var ada: Phone
    let list: FeedID

    init() throws { (town, ada, list) = try Town.withList() }

    /// The error that a changed request gets, and proof that it changed nothing.
    private mutating func error(_ change: (inout SyncRequest) -> Void) throws -> ServerError? {
        var request = ada.request((0..<4).map { _ in ada.item(town.id(), in: list) })
        change(&request)
        let before = try town.everything()
        let error = #expect(throws: ServerError.self) { try ada.send(request) }
        #expect(try town.everything() == before)
        return error
    }

    @Test("an account other than the session's is refused") mutating func otherAccount() throws {
        let eve = try town.phone().account
        #expect(try error { $0.account = eve }?.code == .accountMismatch)
    }

    @Test("more than 500 mutations are too many") mutating func tooMany() throws {
        let mutations = (0...Limits.mutations).map { _ in ada.item(town.id(), in: list) }
        let request = ada.request(mutations)
        #expect(#expect(throws: ServerError.self) { try ada.send(request) }?.code == .tooMany)
        #expect(try ada.sync(Array(mutations.dropLast())).answer.acknowledged.number == 501)
    }

    @Test("numbers increase by one from the acknowledged number") mutating func numbers() throws {
        #expect(try error { $0.mutations[0].number = 1 }?.path == "$.mutations[0].number")
        #expect(try error { $0.mutations[3].number = 6 }?.path == "$.mutations[3].number")
        #expect(try error { $0.mutations.remove(at: 1) }?.path == "$.mutations[1].number")
    }

    @Test("the highest assigned number is not below the request's numbers") mutating func sent() throws {
        #expect(try error { $0.sent = 4 }?.path == "$.sent")
        #expect(try error { $0.sent = .max }?.path == "$.sent")
        #expect(try error { $0.acknowledged.number = -1 }?.path == "$.acknowledged.number")
        #expect(try error { $0.acknowledged.number = .max }?.path == "$.acknowledged.number")
    }

    @Test("numbers are at most 2^53, which every JSON reader represents exactly; a sequence is not negative")
    mutating func bounds() throws {
        #expect(try error { $0.sent = (1 << 53) + 1 }?.path == "$.sent")
        #expect(try error { $0.acknowledged.number = (1 << 53) + 1 }?.path == "$.acknowledged.number")
        let unseen = ada.mutation(list, .items, town.id(), .set(["title": "Tea"]), seen: -1)
        #expect(
            try error { request in
                let number = request.mutations[1].number
                request.mutations[1] = unseen
                request.mutations[1].number = number
            }?.path == "$.mutations[1].seen")
        var request = ada.request([ada.item(town.id(), in: list)])
        request.sent = 1 << 53
        #expect(try ada.send(request).answer.acknowledged.number == 2)
    }

    @Test("an age is not negative, and each fault names its own cause") mutating func ages() throws {
        let age = try error { $0.mutations[2].age = -1 }
        #expect(age?.code == .malformed && age?.path == "$.mutations[2].age")
        let ages = try error { $0.mutations[1].ages = ["title": 0, "a b": -5, "position": 3] }
        #expect(ages?.path == #"$.mutations[1].ages["a b"]"#)
        #expect(ages?.sentence.contains("0 or more") == true)
        #expect(try error { $0.sent = .max }?.sentence.contains("2^53") == true)
        #expect(try error { $0.sent = 4 }?.sentence.contains("less than the highest number") == true)
    }

    @Test("a group is consecutive and complete, and has the number of its first mutation") mutating func groups() throws
    {
        #expect(try error { $0.mutations[0].group = 1 }?.path == "$.mutations[0].group")
        #expect(try error { $0.mutations[2].group = 3 }?.path == "$.mutations[2].group")
        #expect(
            try error {
                $0.mutations[0].group = 2
                $0.mutations[2].group = 2
            }?.path == "$.mutations[2].group")
    }

    @Test("a group that was taken cannot continue") mutating func groupGoesOn() throws {
        var request = ada.request([ada.item(town.id(), in: list), ada.item(town.id(), in: list)], grouped: true)
        var half = request
        half.mutations.removeLast()
        _ = try ada.send(half)
        request.sent = 3
        let error = #expect(throws: ServerError.self) { try ada.send(request) }
        #expect(error?.path == "$.mutations[1].group")
    }

    @Test("an age of 0 means the present, for a field, too") mutating func noAge() throws {
        var request = ada.request([ada.item(town.id(), in: list)])
        request.mutations[0].ages = ["title": 0]
        #expect(try ada.send(request).answer.outcomes.isEmpty)
    }
}
