extension VCardWriter {
    /// `ADR`, with what stands beside it.
    func address(_ address: Card.Address) -> PropertyDraft {
        let values = AddressLayout.values(of: address.components, isOld: isOld)
        var draft = PropertyDraft(.adr, .components(values), parameters(of: address, .address))
        draft = labelled(draft, address.label)
        if !isOld, address.isOrdered {
            draft.parameters["JSCOMPS"] = [
                AddressLayout.order(of: address.components, defaultSeparator: address.defaultSeparator).text
            ]
        }
        say(address.full, "LABEL", .fullAddress, in: &draft) { full in
            var types = parameters(of: address, .address)
            types["PROP-ID"] = []
            return PropertyDraft(.label, .text(full), types)
        }
        say(address.coordinates, "GEO", .coordinates, in: &draft) { uri in
            // Before version 4.0 the two numbers stand alone.
            let numbers = uri.afterPrefix("geo:")?.split(separator: ",") ?? []
            let isPair = isOld && numbers.count == 2 && numbers.allSatisfy { Double($0) != nil }
            return PropertyDraft(.geo, .plain(isPair ? numbers.joined(separator: ";") : uri))
        }
        say(address.timeZone, "TZ", .timeZone, in: &draft) { PropertyDraft(.tz, .text($0)) }
        say(address.countryCode, "CC", .countryCode, in: &draft) { PropertyDraft(.xABADR, .text($0.lowercased())) }
        return draft
    }

    private func say(
        _ text: String?, _ parameter: String, _ aspect: Aspect, in draft: inout PropertyDraft,
        apart: (String) -> PropertyDraft
    ) {
        guard let text else { return }
        if isParameter(parameter, aspect) {
            draft.parameters[parameter] = [text]
        } else {
            draft.companions[aspect] = apart(text)
        }
    }
}

extension AddressLayout {
    /// The components of `ADR` for these parts, each with its values.
    ///
    /// Where parts are that only RFC 9554 has components for, all of them are
    /// used, and older readers find the parts among the old ones too. Before
    /// version 4.0 that is their only place.
    static func values(of parts: [Card.Address.Component], isOld: Bool) -> [[String]] {
        let parts = parts.filter { $0.kind != .separator }
        let of = { (kind: Card.Address.Kind) in parts.filter { $0.kind == kind }.map(\.value) }
        let values = kinds.enumerated().map { index, kind in
            twins[index].map { twins in parts.filter { twins.contains($0.kind) }.map(\.value) } ?? of(kind)
        }
        return isOld || isPlain(parts) ? Array(values.prefix(old)) : values
    }
}
