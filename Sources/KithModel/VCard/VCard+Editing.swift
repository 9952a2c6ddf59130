extension VCard {
    /// A card with nothing in it but its version.
    public init(version: Version) {
        let end = "BEGIN:VCARD\r\nVERSION:\(version.rawValue)\r\n"
        self.init(
            text: Array("\(end)END:VCARD\r\n".utf8), encoding: .asIs, line: 1, end: end.utf8.count, nested: [])
    }

    /// Adds a property behind the others.
    ///
    /// Signs that a name cannot have are left out of `name` and `group`.
    public mutating func append(
        _ name: String, _ value: Value, parameters: Parameters = Parameters(), group: String? = nil
    ) {
        insert(name, value, parameters: parameters, group: group, at: places.count)
    }

    /// Adds a property before the one at `index`.
    public mutating func insert(
        _ name: String, _ value: Value, parameters: Parameters = Parameters(), group: String? = nil, at index: Int
    ) {
        let value = value.written(version)
        var header = Header(group: group, name: name, version: version)
        for parameter in described(parameters, by: value) { header.add(parameter.name, parameter.values) }
        let start = index < places.count ? places[index].start : end
        replace(
            start..<start, with: manner.lines(header: header.bytes, value: value), at: index, count: places.count + 1)
    }

    /// Changes what the property at `index` says, and its parameters if these are given.
    ///
    /// What says how the value is written, ENCODING and CHARSET, is seen to here.
    public mutating func setValue(_ value: Value, parameters: Parameters? = nil, at index: Int) {
        let value = value.written(version)
        let parameters = described(parameters ?? properties[index].parameters, by: value)
        let header = properties[index].header(with: parameters)
        replace(
            places[index].range, with: manner.lines(header: header, value: value), at: index, count: places.count)
    }

    /// Changes the parameters of the property at `index`, but for ENCODING and CHARSET. Its value stays as it is written.
    public mutating func setParameters(_ parameters: Parameters, at index: Int) {
        var parameters = parameters
        let (property, place) = (properties[index], places[index])
        for name in ["ENCODING", "CHARSET"] { parameters[name] = property.parameters[name] }
        let header = property.header(with: parameters)
        let isFoldable = place.manner.isDisjoint(with: [.quotedPrintable, .base64, .nested])
        let lines =
            isFoldable
            ? manner.folded(header + [.colon] + property.rawValue) + manner.lineEnd
            : header + text[place.colon..<place.end]
        replace(place.range, with: lines, at: index, count: places.count)
    }

    /// Puts the property at `index` into a group, or out of any. Everything else of it stays as it is written.
    public mutating func setGroup(_ group: String?, at index: Int) {
        let (property, place) = (properties[index], places[index])
        let group = group.map { Array($0.utf8) + [.dot] } ?? []
        let header = property.withHeader { bytes, name, header in group + bytes[name.lowerBound..<header.upperBound] }
        replace(place.range, with: header + text[place.colon..<place.end], at: index, count: places.count)
    }

    /// Takes the property at `index` out.
    public mutating func remove(at index: Int) {
        replace(places[index].range, with: [], at: index, count: places.count - 1)
    }

    // MARK: The manner of the card

    private var manner: LineManner {
        let lineEnd = text.withUnsafeBufferPointer { bytes in
            let start = bytes.firstIndex(where: \.isLineEnd) ?? bytes.count
            return Array(bytes[start..<bytes.afterLineEnd(at: start)])
        }
        return LineManner(version: version, lineEnd: lineEnd)
    }

    /// The parameters, with what they must say of how a value is written.
    private func described(_ parameters: Parameters, by value: Value.Written) -> Parameters {
        var parameters = parameters
        (parameters["ENCODING"], parameters["CHARSET"]) = ([], [])
        switch value {
        case .plain: break
        case .quotedPrintable: (parameters["CHARSET"], parameters["ENCODING"]) = (["UTF-8"], ["QUOTED-PRINTABLE"])
        case .base64(_, let type):
            parameters["VALUE"] = []
            parameters["MEDIATYPE"] = []
            parameters["ENCODING"] = [version == .v2_1 ? "BASE64" : "b"]
            parameters["TYPE"] = type.isEmpty ? [] : [type]
        }
        return parameters
    }

    // MARK: Patching

    /// Puts `lines` in the place of `range`, and reads the card anew.
    ///
    /// Where the line before would take in what comes (a soft break with nothing after it, base64 without its
    /// end), an empty line keeps them apart; where what comes would begin a card, an empty fold says that it is a text.
    private mutating func replace(_ range: Range<Int>, with lines: [UInt8], at index: Int, count: Int) {
        let lineEnd = manner.lineEnd
        let emptyFold = lines.isEmpty ? [] : [.space] + lineEnd
        for before in [[], lineEnd] {
            for after in [[], emptyFold, lineEnd] {
                var patched = text
                patched.replaceSubrange(range, with: before + lines + after)
                let end = range.lowerBound + before.count + lines.count + after.count
                guard let card = VCard(patched: patched, of: self), card.places.count == count,
                    lines.isEmpty || card.places[index].valueEnd <= end, card.says(self, butAt: index)
                else { continue }
                self = card
                return
            }
        }
        preconditionFailure("An edit of a card has made it unreadable.")
    }

    /// Whether what stands before and after the property at `index` stands in `card` too.
    private func says(_ card: VCard, butAt index: Int) -> Bool {
        let rest = max(places.count, card.places.count) - 1 - index
        let growth = text.count - card.text.count
        return zip(places, card.places).prefix(index).allSatisfy { $0.hasValue(of: $1) }
            && zip(places.suffix(rest), card.places.suffix(rest)).allSatisfy { $0.hasValue(of: $1.moved(by: growth)) }
    }

    private init?(patched text: [UInt8], of card: VCard) {
        var cutter = CardCutter(limit: .max)
        guard
            case .card(let range, _, let end, let nested) = text.withUnsafeBufferPointer({
                cutter.next(in: $0, isWhole: true)
            }),
            range == text.indices
        else { return nil }
        self.init(text: text, encoding: card.encoding, line: card.line, end: end, nested: nested)
    }
}

extension VCard.Property {
    /// The header as it is written, but with other parameters: those that change, and those alone, are written anew.
    ///
    /// So are those with a quote that is not closed, for the new value could close it.
    fileprivate func header(with parameters: VCard.Parameters) -> [UInt8] {
        let old = self.parameters
        return withHeader { bytes, name, header in
            var new = Header(written: bytes[header.lowerBound..<name.upperBound], version: version)
            let isQuoted = bytes[name.upperBound..<header.upperBound].count { $0 == .quote }.isMultiple(of: 2)
            let kept = isQuoted ? Set(old.filter { parameters[$0.name] == $0.values }.map(\.name)) : []
            VCard.Parameters.forEach(in: bytes, name.upperBound..<header.upperBound) { name, value in
                let key = VCard.Parameters.name(name.map { bytes[$0] }, of: UnsafeBufferPointer(rebasing: bytes[value]))
                guard kept.contains(key) else { return }
                new.add(written: bytes[(name ?? value).lowerBound..<value.upperBound])
            }
            for parameter in parameters where !kept.contains(parameter.name) {
                new.add(parameter.name, parameter.values)
            }
            return new.bytes
        }
    }
}
