package import KithModel

/// The form of a request, checked before anything is read or written.
package enum RequestForm {
    /// Numbers stay where every reader of JSON can tell them apart.
    private static let numbers: ClosedRange<Int64> = 0...(1 << 53)

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
        guard numbers.contains(request.acknowledged.number) else {
            throw malformed("acknowledged.number", "The number is out of range.")
        }
        let last = request.acknowledged.number + Int64(request.mutations.count)
        guard numbers.contains(request.sent), request.sent >= last else {
            throw malformed("sent", "This is less than the highest number in the request, \(last).")
        }
        try checkNumbers(request)
    }

    private static func checkNumbers(_ request: SyncRequest) throws {
        var open: Int64?
        for (index, mutation) in request.mutations.enumerated() {
            let number = request.acknowledged.number + 1 + Int64(index)
            guard mutation.number == number else {
                throw malformed("mutations[\(index)].number", "Numbers go up by one: this is to be \(number).")
            }
            guard mutation.seen >= 0 else {
                throw malformed("mutations[\(index)].seen", "A sequence is not below 0.")
            }
            if let group = mutation.group, group != number, group != open {
                throw malformed(
                    "mutations[\(index)].group",
                    "A group is consecutive and starts with the mutation that it is named after.")
            }
            open = mutation.group
        }
    }

    static func malformed(_ place: String, _ sentence: String) -> ServerError {
        ServerError(.malformed, sentence, path: "$.\(place)")
    }
}
