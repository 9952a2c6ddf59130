// A card without END is given one by any edit: only then is it told for good where what is written ends.
extension VCard {
    /// A card with nothing in it but its version.
    public init(version: Version) {
        let end = "BEGIN:VCARD\r\nVERSION:\(version.rawValue)\r\n"
        self.init(
            text: Array("\(end)END:VCARD\r\n".utf8), encoding: .asIs, line: 1,
            frame: CardFrame(end: end.utf8.count, nested: [], missingEnds: 0))
    }

    /// Adds a property behind the others.
    ///
    /// Characters not allowed in a name are left out of `name` and `group`.
    public mutating func append(
        _ name: String, _ value: Value, parameters: Parameters = Parameters(), group: String? = nil
    ) {
        insert(name, value, parameters: parameters, group: group, at: places.count)
    }

    /// Adds a property before the one at `index`.
    public mutating func insert(
        _ name: String, _ value: Value, parameters: Parameters = Parameters(), group: String? = nil, at index: Int
    ) {
        edit { [$0.patch(adding: NewProperty(name, value, parameters, group: group), before: index)] }
    }

    /// Changes what the property at `index` says, and its parameters if these are given.
    ///
    /// What says how the value is written, ENCODING and CHARSET, is seen to here.
    public mutating func setValue(_ value: Value, parameters: Parameters? = nil, at index: Int) {
        edit { [$0.patch(changing: index, Change(value: value, parameters: parameters))] }
    }

    /// Changes the parameters of the property at `index`, but for ENCODING and CHARSET. Its value stays as it is written.
    public mutating func setParameters(_ parameters: Parameters, at index: Int) {
        edit { [$0.patch(changing: index, Change(parameters: parameters))] }
    }

    /// Puts the property at `index` into a group, or out of any. Everything else of it stays as it is written.
    ///
    /// Characters not allowed in a name are left out of `group`.
    public mutating func setGroup(_ group: String?, at index: Int) {
        edit { [$0.patch(changing: index, Change(group: group ?? ""))] }
    }

    /// Takes the property at `index` out.
    public mutating func remove(at index: Int) { edit { [$0.patch(removing: index)] } }
}

// MARK: - In the manner of the card

extension VCard {
    /// A property to be added.
    struct NewProperty {
        let name: String
        let value: Value
        let parameters: Parameters
        let group: String?

        init(_ name: String, _ value: Value, _ parameters: Parameters = Parameters(), group: String? = nil) {
            (self.name, self.value, self.parameters, self.group) = (name, value, parameters, group)
        }
    }

    /// What is to become of a property; what is nil stays as it is written.
    struct Change {
        var value: Value?
        var parameters: Parameters?
        /// The new group; empty for none.
        var group: String?
    }

    /// A property to be added before the one at `index`.
    func patch(adding new: NewProperty, before index: Int) -> Patch {
        let value = written(new.value, as: new.name)
        var header = Header(group: new.group, name: new.name, version: version, charset: headerCharset)
        for parameter in described(new.parameters, by: value) { header.add(parameter) }
        let start = index < places.count ? places[index].start : end
        return Patch(
            index: index, range: start..<start, lines: apart(manner.lines(header: header.bytes, value: value.value)),
            isForeign: header.isForeign)
    }

    /// The property at `index`, changed.
    func patch(changing index: Int, _ change: Change) -> Patch {
        let (property, place) = (properties[index], places[index])
        let header: Header
        let lines: [UInt8]
        if let value = change.value.map({ written($0, as: property.name) }) {
            let parameters = described(change.parameters ?? property.parameters, by: value)
            header = property.header(with: parameters, group: change.group)
            lines = manner.lines(header: header.bytes, value: value.value)
        } else if var parameters = change.parameters {
            for name in ["ENCODING", "CHARSET"] { parameters[name] = property.parameters[name] }
            header = property.header(with: parameters, group: change.group)
            let isFoldable = place.manner.isDisjoint(with: [.quotedPrintable, .base64, .nested])
            lines =
                isFoldable
                ? manner.folded(header.bytes + [.colon] + property.rawValue) + manner.lineEnd
                : header.bytes + text[place.colon..<place.end]
        } else {
            header = property.header(with: nil, group: change.group)
            lines = header.bytes + text[place.colon..<place.end]
        }
        return Patch(index: index, range: place.range, lines: lines, isForeign: header.isForeign)
    }

    /// The property at `index`, taken out.
    func patch(removing index: Int) -> Patch { Patch(index: index, range: places[index].range, lines: []) }

    /// Lines of which an empty fold says, where they would begin a card, that they are a text.
    private func apart(_ lines: [UInt8]) -> [UInt8] {
        let beginsCard = lines.withUnsafeBufferPointer { bytes in
            bytes.cardAfterAgent(0..<(bytes.firstIndex(where: \.isLineEnd) ?? bytes.count)) != nil
        }
        return beginsCard ? lines + [.space] + manner.lineEnd : lines
    }

    var manner: LineManner {
        let lineEnd = text.withUnsafeBufferPointer { bytes in
            let start = bytes.firstIndex(where: \.isLineEnd) ?? bytes.count
            return Array(bytes[start..<bytes.afterLineEnd(at: start)])
        }
        return LineManner(version: version, lineEnd: lineEnd.isEmpty ? [.carriageReturn, .lineFeed] : lineEnd)
    }

    /// What headers are written in.
    private var headerCharset: CardCharset { encoding == .asIs ? charset : .utf8 }

    /// A value in the manner and the charset of the card; in UTF-8 where that has not all of its letters.
    private func written(_ value: Value, as name: String) -> (value: Value.Written, isForeign: Bool) {
        if case .card(let card) = value, version == .v2_1, name.uppercased() == PropertyName.agent.rawValue,
            let lines = card.nestedLines(endedBy: manner.lineEnd)
        {
            return (.nested(lines), false)
        }
        let written = value.written(version)
        guard case .plain(let bytes) = written else { return (written, false) }
        guard let bytes = headerCharset.encoded(bytes) else { return (written, true) }
        return (.plain(bytes), false)
    }

    /// The parameters, with what they must say of how a value is written.
    private func described(
        _ parameters: Parameters, by written: (value: Value.Written, isForeign: Bool)
    ) -> Parameters {
        var parameters = parameters
        (parameters["ENCODING"], parameters["CHARSET"]) = ([], written.isForeign ? ["UTF-8"] : [])
        switch written.value {
        case .plain: break
        case .nested: parameters["VALUE"] = []
        case .quotedPrintable: (parameters["CHARSET"], parameters["ENCODING"]) = (["UTF-8"], ["QUOTED-PRINTABLE"])
        case .base64(_, let type):
            parameters["VALUE"] = []
            parameters["MEDIATYPE"] = []
            parameters["ENCODING"] = [version == .v2_1 ? "BASE64" : "b"]
            // Of the words of TYPE, one says what it is; the others stay.
            guard !type.isEmpty else { break }
            parameters["TYPE"] = [type] + parameters["TYPE"].filter { !MediaType.isWord($0) && $0.uppercased() != type }
        }
        return parameters
    }
}

extension VCard.Property {
    /// The header as it is written, but with other parameters: those that change, and those alone, are rewritten.
    ///
    /// So are those with a quote that is not closed, for the new value could close it.
    /// `group` is the new group, empty for none; nil leaves it as it is.
    func header(with parameters: VCard.Parameters?, group: String?) -> Header {
        var header = writtenHeader(with: parameters, group: group)
        header.keepApart()
        return header
    }

    private func writtenHeader(with parameters: VCard.Parameters?, group: String?) -> Header {
        let old = self.parameters
        return withHeader { bytes, name, header in
            let group = group.map(Header.group) ?? Array(bytes[header.lowerBound..<name.lowerBound])
            guard let parameters else {
                let written = group + bytes[name.lowerBound..<header.upperBound]
                return Header(written: written, version: version, charset: headerCharset)
            }
            var new = Header(written: group + bytes[name], version: version, charset: headerCharset)
            let isQuoted = bytes[name.upperBound..<header.upperBound].count { $0 == .quote }.isMultiple(of: 2)
            let kept = isQuoted ? Set(old.filter { parameters[$0.name] == $0.values }.map(\.name)) : []
            VCard.Parameters.forEach(in: bytes, name.upperBound..<header.upperBound) { name, value in
                let key = VCard.Parameters.name(
                    name.map { bytes[$0] }, of: UnsafeBufferPointer(rebasing: bytes[value]), headerCharset)
                guard kept.contains(key) else { return }
                new.add(written: bytes[(name ?? value).lowerBound..<value.upperBound])
            }
            for parameter in parameters where !kept.contains(parameter.name) {
                new.add(parameter)
            }
            return new
        }
    }
}
