import Foundation
import TextEncodings

extension CardBuilder {
    /// The properties that JSContact cannot express, except empty ones.
    var unsaid: [VCard.Property] { properties(but: Set(places.filter { isSaid($0) }.map(\.property))) }

    /// The properties that the model cannot express, except empty ones.
    var unread: [VCard.Property] { properties(but: Set(places.map(\.property))) }

    private func properties(but told: Set<Int>) -> [VCard.Property] {
        vCard.properties.enumerated().compactMap { index, property in
            guard !told.contains(index), property.knownName != .version, !property.rawValue.isEmpty else { return nil }
            return property
        }
    }

    /// Whether JSContact can express what was read there.
    func isSaid(_ place: Place) -> Bool {
        guard case .entry(let family, let index) = place.part else { return true }
        switch (family, place.aspect) {
        case (.anniversary, .itself), (.anniversary, .place), (.anniversary, .placeCoordinates):
            return card.anniversaries[index].isSaid
        // A label that only names the kind, a context or the relation needs no field of its own.
        case (.anniversary, .label): return card.anniversaries[index].isSaid && card.anniversaries[index].label == nil
        case (.address, .label): return card.addresses[index].label == nil
        case (.relation, .label): return card.relatedTo[index].label == nil
        default: return true
        }
    }
}

extension VCard.Property {
    /// The property in jCard form: its name, its parameters, the type of its value, and the value (RFC 7095, section
    /// 3.3).
    var jCard: JSONValue {
        var parameters = self.parameters.jCard
        if let group { parameters["group"] = .text(group) }
        if let data = embedded {
            let uri = JSONValue.text(DataURI.text(data.bytes, mediaType: data.mediaType))
            return .array([.text(name.lowercased()), .object(parameters), .text("uri"), uri])
        }
        if let agent {
            let text = String(decoding: Array(agent.plainLines.joined(separator: [.lineFeed])), as: UTF8.self)
            return .array([.text(name.lowercased()), .object(parameters), .text("text"), .text(text)])
        }
        let type = self.parameters["VALUE"].first?.lowercased() ?? knownName.map(\.usualType) ?? "unknown"
        let values = knownName == .categories || knownName == .nickname ? list.map(JSONValue.text) : [value(of: type)]
        return .array([.text(name.lowercased()), .object(parameters), .text(type)] + values)
    }

    /// The value in jCard form. A value of unknown type stays as written, with its escapes (RFC 7095, section 5.1).
    private func value(of type: String) -> JSONValue {
        guard type != "unknown" || !parameters["ENCODING"].isEmpty else {
            return .text(String(decoding: rawValue, as: UTF8.self))
        }
        // Decoded quoted-printable contains real line breaks, for which other values have `\n`.
        if type == "unknown" { return .text(text.replacing("\n", with: "\\n")) }
        guard let knownName, [.n, .adr, .org, .gender, .clientPIDMap].contains(knownName) else { return .text(text) }
        let parts = ownComponents.map { values in
            values.count == 1 ? JSONValue.text(values[0]) : .array(values.map(JSONValue.text))
        }
        return parts.count == 1 ? parts[0] : .array(parts)
    }
}

extension VCard.Parameters {
    /// The parameters in jCard form, except those that describe how the value is written. Names are in small letters,
    /// and several values form an array (RFC 7095, section 3.4).
    var jCard: [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for parameter in self where !["VALUE", "ENCODING", "CHARSET"].contains(parameter.name) {
            let values = parameter.values.map(JSONValue.text)
            fields[parameter.name.lowercased()] = values.count == 1 ? values[0] : .array(values)
        }
        return fields
    }

    /// Parses parameters in jCard form. They are then in the order of their names.
    init(jCard fields: [String: JSONValue]) {
        self.init()
        for (name, value) in fields.sorted(by: { $0.key.uppercased() < $1.key.uppercased() }) {
            self[name.uppercased()] = value.texts
        }
    }
}

extension VCard.NewProperty {
    /// Parses a property in jCard form; nil if it is not valid.
    init?(jCard: JSONValue) {
        guard case .array(let parts) = jCard, parts.count >= 4, let name = parts[0].text?.uppercased(),
            case .object(let fields) = parts[1], let type = parts[2].text
        else { return nil }
        var parameters = VCard.Parameters(jCard: fields)
        parameters["GROUP"] = []
        let known = VCard.PropertyName(rawValue: name)
        if type != "unknown", type != known?.usualType { parameters["VALUE"] = [type] }
        let value: VCard.Value =
            if parts.count > 4 {
                .list(parts[3...].flatMap(\.texts))
            } else if case .array(let components) = parts[3] {
                .components(components.map(\.texts))
            } else if let text = parts[3].texts.first {
                if type == "uri", let data = DataURI(text), let bytes = data.bytes {
                    .data(bytes, mediaType: data.mediaType ?? "text/plain")
                } else {
                    type == "text" ? .text(text) : .plain(text)
                }
            } else { .plain("") }
        self.init(name, value, parameters, group: fields["group"]?.text)
    }
}

extension JSONValue {
    /// The texts of a jCard value, which is one value or an array.
    fileprivate var texts: [String] {
        switch self {
        case .array(let values): values.flatMap(\.texts)
        case .text(let text): [text]
        case .null, .object: []
        case .flag, .integer, .number: [json]
        }
    }
}

extension VCard.Property {
    /// The JSContact field in a JSPROP, and the pointer to it (RFC 9555, section 3.2.1); nil if this is no valid
    /// JSPROP.
    var jsProperty: (pointer: JSPointer, value: JSONValue)? {
        guard knownName == .jsProp, let pointer = parameters["JSPTR"].first.flatMap(JSPointer.init),
            case let json = Data(text.utf8), json.withUnsafeBytes({ StreamSafeText.excess(inJSON: $0) }) == nil,
            let value = try? JSONDecoder().decode(JSONValue.self, from: json),
            pointer.keys.count > 1 || !JSContact.known.contains(pointer.keys[0]) || pointer.isUnread(value)
        else { return nil }
        return (pointer, value)
    }
}

extension VCard.PropertyName {
    /// The default type of its values.
    fileprivate var usualType: String {
        switch self {
        case .photo, .logo, .sound, .key, .url, .source, .member, .related, .uid, .impp, .fburl, .calURI, .calAdrURI,
            .geo, .orgDirectory, .contactURI, .socialProfile:
            "uri"
        case .bday, .anniversary, .deathDate: "date-and-or-time"
        case .rev, .created: "timestamp"
        case .lang, .language: "language-tag"
        case _ where rawValue.hasPrefix("X-"): "unknown"
        default: "text"
        }
    }
}
