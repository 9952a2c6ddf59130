package import KithModel

/// The form of a request, checked before anything is read or written.
package enum RequestForm {
    /// - Throws: ``ServerError`` with the code `accountMismatch`, `tooMany`, or `malformed` with the path.
    package static func check(_ request: SyncRequest, from account: AccountID) throws {
        guard request.account == account else {
            throw ServerError(
                .accountMismatch, "The request speaks for another account than its token. Sync each with its own.",
                path: "$.account")
        }
        guard request.mutations.count <= Limits.mutations else {
            throw ServerError(
                .tooMany,
                "There are \(request.mutations.count) mutations; a request takes \(Limits.mutations). Send fewer.",
                path: "$.mutations")
        }
        guard Limits.numbers.contains(request.acknowledged.number) else {
            throw malformed(
                "acknowledged.number", "This is \(request.acknowledged.number); numbers go from 0 to 2^53.")
        }
        let last = request.acknowledged.number + Int64(request.mutations.count)
        guard Limits.numbers.contains(request.sent) else {
            throw malformed("sent", "This is \(request.sent); numbers go from 0 to 2^53.")
        }
        guard request.sent >= last else {
            throw malformed(
                "sent",
                "This is \(request.sent), less than the highest number in the request, \(last). Name the highest that the device ever gave."
            )
        }
        try checkNumbers(request)
    }

    private static func checkNumbers(_ request: SyncRequest) throws {
        var open: Int64?
        for (index, mutation) in request.mutations.enumerated() {
            let number = request.acknowledged.number + 1 + Int64(index)
            guard mutation.number == number else {
                throw malformed(
                    "mutations[\(index)].number",
                    "This is \(mutation.number). Numbers go up by one from “acknowledged”: \(number) is needed.")
            }
            guard mutation.seen >= 0 else {
                throw malformed(
                    "mutations[\(index)].seen", "This is \(mutation.seen). A sequence is 0 or more; 0 is no record.")
            }
            try checkAges(of: mutation, at: "mutations[\(index)]")
            if let group = mutation.group, group != number, group != open {
                throw malformed(
                    "mutations[\(index)].group",
                    "A group is consecutive and starts with the mutation that it is named after.")
            }
            open = mutation.group
        }
    }

    /// An age below 0 would be an edit in the future.
    private static func checkAges(of mutation: Mutation, at place: String) throws {
        let sentence = "An age is 0 or more: the milliseconds since the edit was made."
        if mutation.age < 0 { throw malformed("\(place).age", sentence) }
        guard let field = mutation.ages.filter({ $0.value < 0 }).keys.min() else { return }
        throw ServerError(
            .malformed, sentence, path: "$.\(place)" + JSONBody.path([.name("ages"), .name(field)]).dropFirst())
    }

    static func malformed(_ place: String, _ sentence: String) -> ServerError {
        ServerError(.malformed, sentence, path: "$.\(place)")
    }
}
