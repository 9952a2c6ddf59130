import Foundation
import KithModel

/// A value of an operator's JSON document and its place, so that a fault names both.
struct PlacedValue {
    /// An object with known keys.
    struct Object {
        fileprivate let place: PlacedValue
        fileprivate let members: [String: PlacedValue]

        /// The value of a key; nil if it is not there.
        subscript(key: String) -> PlacedValue? { members[key] }

        /// The value of a key that has to be there.
        ///
        /// - Throws: ``ServerError`` with the path of the missing value.
        func required(_ key: String) throws(ServerError) -> PlacedValue {
            guard let value = members[key] else { throw place.below(.name(key), .null).fault("is missing.") }
            return value
        }
    }

    let value: FieldValue
    private let steps: [JSONBody.Step]

    private init(_ value: FieldValue, _ steps: [JSONBody.Step]) { (self.value, self.steps) = (value, steps) }

    /// The value of a whole document.
    ///
    /// - Throws: ``ServerError`` `malformed` with the path of the fault if the document is not JSON in UTF-8, or has a key
    ///   twice in one object.
    init(_ document: Data) throws(ServerError) {
        do throws(ServerError) {
            self.init(try JSONBody.decode(FieldValue.self, from: document), [])
        } catch {
            let sentence = error.sentence.replacing("The body", with: "The file").replacing("Send ", with: "Write ")
            throw ServerError(.malformed, sentence, path: error.path, cause: error)
        }
    }

    private func below(_ step: JSONBody.Step, _ value: FieldValue) -> PlacedValue {
        PlacedValue(value, steps + [step])
    }

    /// The fault of this value. `predicate` is the sentence without its subject: “has to be a text.”
    func fault(_ predicate: String) -> ServerError {
        ServerError(.malformed, "\(subject) \(predicate)", path: JSONBody.path(steps))
    }

    private var subject: String {
        let name = steps.reversed().compactMap { step -> String? in
            if case .name(let name) = step { "“\(name.prefix(40))”" } else { nil }
        }.first
        guard case .index? = steps.last else { return name ?? "The file" }
        return name.map { "An entry of \($0)" } ?? "An entry of the file"
    }

    // MARK: Objects and arrays

    /// The value as an object that has only these keys.
    func object(_ known: [String]) throws(ServerError) -> Object {
        let entries = try entries()
        if let unknown = entries.first(where: { !known.contains($0.key) }) {
            throw unknown.value.fault("is not a key here. The keys are \(known.joined(separator: ", ")).")
        }
        return Object(place: self, members: Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first })
    }

    /// The values of an object with any keys, sorted by the keys.
    func entries() throws(ServerError) -> [(key: String, value: PlacedValue)] {
        guard case .object(let object) = value else { throw fault("has to be an object.") }
        return object.sorted { $0.key < $1.key }.map { (key: $0.key, value: below(.name($0.key), $0.value)) }
    }

    /// The values of an array.
    func elements() throws(ServerError) -> [PlacedValue] {
        guard case .array(let array) = value else { throw fault("has to be an array.") }
        return array.enumerated().map { below(.index($0.offset), $0.element) }
    }

    // MARK: Simple values

    /// The value as a text with at most this number of characters and at least one that can be seen. It may have several
    /// lines.
    func text(upTo length: Int) throws(ServerError) -> String {
        guard let text = value.text else { throw fault("has to be a text.") }
        guard text.contains(where: { !$0.isWhitespace }) else { throw fault("is empty.") }
        guard text.count <= length else {
            throw fault("has \(text.count) characters; at most \(length) are permitted.")
        }
        return text
    }

    /// The same in one line.
    func line(upTo length: Int) throws(ServerError) -> String {
        let text = try text(upTo: length)
        let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !hasControl, !text.contains(where: \.isNewline) else {
            throw fault("has to be one line, without control characters.")
        }
        return text
    }

    /// The value as true or false.
    func flag() throws(ServerError) -> Bool {
        guard let flag = value.flag else { throw fault("has to be true or false.") }
        return flag
    }

    /// The value as a whole number in this range.
    func integer(_ range: ClosedRange<Int>) throws(ServerError) -> Int {
        guard let integer = value.integer, let number = Int(exactly: integer), range.contains(number) else {
            throw fault("has to be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// The value as a whole number in this range; nil for null, which stands for no limit.
    func limit(_ range: ClosedRange<Int>) throws(ServerError) -> Int? {
        if value == .null { return nil }
        guard let integer = value.integer, let number = Int(exactly: integer), range.contains(number) else {
            throw fault(
                "has to be a whole number from \(range.lowerBound) to \(range.upperBound), or null for no limit.")
        }
        return number
    }

    /// The value as one of several words.
    func choice<Choice: RawRepresentable & CaseIterable>(
        of kind: Choice.Type
    ) throws(ServerError) -> Choice where Choice.RawValue == String {
        guard let word = value.text, let choice = Choice(rawValue: word) else {
            throw fault("has to be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return choice
    }
}
