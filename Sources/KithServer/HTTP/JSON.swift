package import Foundation
import KithModel

/// JSON as it comes in and goes out.
package enum JSON {
    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
    }

    /// Reads a request's body.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`, and the path of what is at fault.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(ServerError) -> Value {
        guard String(validating: data, as: UTF8.self) != nil else {
            throw ServerError(.malformed, "The body is not UTF-8. Send JSON in UTF-8.", path: "$")
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw ServerError(error)
        } catch {
            throw ServerError(.malformed, "The body cannot be read as JSON.", path: "$", cause: error)
        }
    }

    /// A place in a document, as in `$.mutations[3].set.title`.
    package static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "$") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else if key.stringValue.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]{0,63}/) != nil {
                path += ".\(key.stringValue)"
            } else {
                path += "[\(CanonicalForm.text(.text(String(key.stringValue.prefix(64)))))]"
            }
        }
    }
}

extension ServerError {
    /// What is wrong with a body, in words that name the field.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            let path = JSON.path(context.codingPath + [key])
            self.init(.malformed, "“\(key.stringValue)” is missing.", path: path, cause: error)
        case .valueNotFound(_, let context):
            let path = JSON.path(context.codingPath)
            self.init(.malformed, "There is null where a value is needed.", path: path, cause: error)
        case .typeMismatch(let type, let context):
            let path = JSON.path(context.codingPath)
            self.init(
                .malformed, "There is a value of the wrong type; \(Self.kind(of: type)).", path: path, cause: error)
        case .dataCorrupted(let context):
            // Whatever is said about the document as a whole is that it is none.
            let sentence = context.codingPath.isEmpty ? "The body is not well-formed JSON." : context.debugDescription
            self.init(.malformed, sentence, path: JSON.path(context.codingPath), cause: error)
        @unknown default:
            self.init(.malformed, "The body cannot be read.", path: "$", cause: error)
        }
    }

    private static func kind(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text is needed"
        case is Bool.Type: "true or false is needed"
        case is Int64.Type, is Int.Type: "a whole number is needed"
        case is [String: Any].Type: "an object is needed"
        case is [Any].Type: "an array is needed"
        default: "see openapi.json for the right one"
        }
    }
}
