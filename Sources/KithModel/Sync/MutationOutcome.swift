/// The outcome of one mutation.
package struct MutationOutcome: Hashable, Sendable, Codable {
    /// The possible results of a mutation.
    package enum Result: String, Hashable, Sendable, Codable {
        /// The mutation was applied. Only reported to copied replicas, where a missing outcome means "not applied".
        case applied
        /// All fields have later edits, or the mutation deletes a record that does not exist or is already deleted.
        case superseded
        /// The mutation was refused, for the reason in `code`. Nothing of it or its group was applied.
        case rejected
    }

    /// The mutation's number.
    package var number: Int64
    /// The result.
    package var result: Result
    /// The reason for a rejection.
    package var code: RejectionCode?
    /// The reason as a sentence for people.
    package var detail: String?

    /// Creates an outcome with these properties.
    package init(number: Int64, result: Result, code: RejectionCode? = nil, detail: String? = nil) {
        self.number = number
        self.result = result
        self.code = code
        self.detail = detail
    }

    // MARK: JSON

    /// Reads an outcome.
    init(_ reader: inout JSONReader) throws {
        var (number, result): (Int64?, Result?)
        var (code, detail): (String?, String?)
        try reader.object { reader, name in
            switch name {
            case "number": try reader.once(&number) { try $0.integer() }
            case "result": try reader.once(&result) { try Result(rawValue: $0.text()).orRefuse() }
            case "code": try reader.once(&code) { try $0.text() }
            case "detail": try reader.once(&detail) { try $0.text() }
            default: try reader.skip()
            }
        }
        self.init(
            number: try number.orRefuse(), result: try result.orRefuse(),
            code: code.map { RejectionCode(rawValue: $0) }, detail: detail)
    }

    /// Writes an outcome.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("number") { $0.integer(number) }
            json.member("result") { $0.text(result.rawValue) }
            if let code { json.member("code") { $0.text(code.rawValue) } }
            if let detail { json.member("detail") { $0.text(detail) } }
        }
    }
}
