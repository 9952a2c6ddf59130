package import Foundation
import KithModel
import TextEncodings

/// Encodes and decodes the JSON of requests and answers.
package enum JSONBody {
    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
    }

    /// Reads a request's body.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` and the path of the fault.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(ServerError) -> Value {
        // This is checked before any text is compared or hashed.
        let excess = data.withUnsafeBytes { StreamSafeText.excess(inJSON: $0) }
        // A round is by far the most frequent request.
        if excess == nil, type is SyncRequest.Type, let request = SyncRequest(quickly: data) as? Value {
            return request
        }
        let bytes = [UInt8](data)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw ServerError(.malformed, "The body is not UTF-8. Send JSON in UTF-8.", path: "$")
        }
        do {
            try JSONForm.check(bytes, excess: excess)
            return try JSONDecoder().decode(type, from: data)
        } catch let fault as JSONForm.Fault {
            throw ServerError(.malformed, fault.sentence, path: fault.path)
        } catch let error as DecodingError {
            throw misplacedNumber(error, in: bytes, as: type) ?? ServerError(error)
        } catch {
            throw ServerError(.malformed, "The body cannot be read as JSON.", path: "$", cause: error)
        }
    }

    /// The fault of a number that must be an `Int64` but is not. The decoder reports only that the body is not JSON. So
    /// the body is decoded again with such numbers as strings: then the decoder reports the place.
    private static func misplacedNumber<Value: Decodable>(
        _ error: DecodingError, in bytes: [UInt8], as type: Value.Type
    ) -> ServerError? {
        guard case .dataCorrupted(let context) = error, context.codingPath.isEmpty,
            let quoted = JSONForm.quotingOtherNumbers(bytes)
        else { return nil }
        do {
            _ = try JSONDecoder().decode(type, from: quoted)
        } catch DecodingError.typeMismatch(_, let context) {
            // Only the amounts of a mutation's `add` can be below 0.
            let isAmount = context.codingPath.dropLast().last?.stringValue == "add"
            return ServerError(
                .malformed,
                """
                \(ServerError.subject(context)) has to be a whole number from \(isAmount ? "-2^63" : "0") to 2^63 - 1, \
                without a fraction.
                """, path: path(context.codingPath), cause: error)
        } catch {}
        return nil
    }

    /// One step of a path.
    enum Step: Hashable {
        case name(String)
        case index(Int)
    }

    /// The path of a place in a document, such as `$.mutations[3].set.title`.
    static func path(_ steps: [Step]) -> String {
        steps.reduce(into: "$") { path, step in
            switch step {
            case .index(let index): path += "[\(index)]"
            case .name(let name) where name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]{0,63}/) != nil: path += ".\(name)"
            case .name(let name): path += "[\(CanonicalForm.text(.text(String(name.prefix(64)))))]"
            }
        }
    }

    /// ``path(_:)`` for the coding path of a decoder.
    package static func path(_ keys: [any CodingKey]) -> String {
        path(keys.map { key in key.intValue.map(Step.index) ?? .name(key.stringValue) })
    }
}

extension ServerError {
    /// The fault of a body, as a sentence that names the field.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            let path = JSONBody.path(context.codingPath + [key])
            self.init(.malformed, "“\(key.stringValue)” is missing.", path: path, cause: error)
        case .valueNotFound(let type, let context):
            self.init(
                .malformed, "\(Self.subject(context)) is null; \(Self.need(of: type)).",
                path: JSONBody.path(context.codingPath), cause: error)
        case .typeMismatch(let type, let context):
            let found = Self.found.first { context.debugDescription.contains("found \($0.key)") }?.value
            self.init(
                .malformed, "\(Self.subject(context)) is \(found ?? "of the wrong type"); \(Self.need(of: type)).",
                path: JSONBody.path(context.codingPath), cause: error)
        case .dataCorrupted(let context):
            let isVague = context.codingPath.isEmpty
            self.init(
                .malformed, isVague ? "The body cannot be read as JSON." : context.debugDescription,
                path: JSONBody.path(context.codingPath), cause: error)
        @unknown default:
            self.init(.malformed, "The body cannot be read.", path: "$", cause: error)
        }
    }

    /// The subject of a sentence about a value.
    fileprivate static func subject(_ context: DecodingError.Context) -> String {
        guard let last = context.codingPath.last else { return "The body" }
        guard last.intValue != nil else { return "“\(last.stringValue.prefix(40))”" }
        let list = context.codingPath.last { $0.intValue == nil }
        return list.map { "An entry of “\($0.stringValue.prefix(40))”" } ?? "An entry of the body"
    }

    /// The decoder's words for the found value, and the words of the sentences here.
    private static let found = [
        "a string": "a text", "number": "a number", "bool": "true or false", "an array": "an array",
        "a dictionary": "an object",
    ]

    private static func need(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text is needed"
        case is Bool.Type: "true or false is needed"
        case is any FixedWidthInteger.Type: "a whole number is needed"
        case is [String: Any].Type: "an object is needed"
        case is [Any].Type: "an array is needed"
        default: "a value of another type is needed"
        }
    }
}
