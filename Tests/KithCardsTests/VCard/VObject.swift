import Foundation
import KithCards
import Processes

/// vobject, Python's reader of vCards: made by others, for another language.
enum VObject {
    /// A property as either reader tells of it.
    struct Property: Hashable, Decodable {
        var group: String?
        var name: String
        /// Without ENCODING and CHARSET, which vobject has used up.
        var parameters: [String: [String]]
        /// The components of a name, an address or an organization, the texts in a list, else one text.
        var values: [String]
    }

    /// What it makes of one card: its properties, or why it cannot read it.
    struct Answer: Decodable {
        var properties: [Property]?
        var error: String?
    }

    /// Whether Scripts/peers has installed it.
    static let isHere = Peers.missing("vobject") == nil

    /// Asks it about each card.
    static func read(_ cards: [VCard]) async throws -> [Answer] {
        let questions = FileManager.default.temporaryDirectory.appending(path: "kith-cards-\(UUID().uuidString)")
        try Data(cards.map { Data($0.bytes).base64EncodedString() + "\n" }.joined().utf8).write(to: questions)
        defer { try? FileManager.default.removeItem(at: questions) }
        let answers = try await FinishedProcess(Peers.python, [Peers.script("vobject_cards.py")], input: questions)
            .output
        return try answers.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Answer.self, from: $0) }
    }
}

extension VObject.Property {
    /// What Kith reads.
    init(_ property: VCard.Property) {
        group = property.group
        name = property.name
        parameters = [:]
        for parameter in property.parameters where parameter.name != "ENCODING" && parameter.name != "CHARSET" {
            parameters[parameter.name] = parameter.values
        }
        switch name {
        case "N", "ADR", "ORG": values = property.components.map { $0.joined(separator: ",") }
        case "CATEGORIES": values = property.list
        case _ where property.parameters["ENCODING"].contains { ["B", "BASE64"].contains($0.uppercased()) }:
            values = ["base64:" + Data(property.data ?? []).base64EncodedString()]
        default: values = [property.text]
        }
    }

    /// The same in one form: empty components at the end say nothing, and the order of types neither.
    var canonical: Self {
        var property = self
        while property.values.count > 1, property.values.last == "" { property.values.removeLast() }
        property.parameters["TYPE"]?.sort()
        return property
    }
}

extension VObject.Property: CustomStringConvertible {
    var description: String {
        let header = parameters.sorted { $0.key < $1.key }.map { ";\($0.key)=\($0.value)" }.joined()
        return "\(group.map { $0 + "." } ?? "")\(name)\(header): \(String(reflecting: values).prefix(500))"
    }
}
