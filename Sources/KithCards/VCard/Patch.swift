// Each edit adds a missing END, because only then the end of the card is unambiguous.
extension VCard {
    /// The insertion, change or removal of one property, as a replacement of bytes.
    struct Patch {
        /// The index of the replaced property, or of the property before which a new one is inserted.
        let index: Int
        /// The replaced bytes; empty for an insertion.
        let range: Range<Int>
        /// The new bytes; empty for a removal.
        let lines: [UInt8]
        /// Whether a parameter is in UTF-8 although the card is not.
        var isForeign = false
    }
}

// MARK: - In the style of the card

extension VCard {
    /// A property to insert.
    struct NewProperty {
        let name: String
        let value: Value
        let parameters: Parameters
        let group: String?

        init(_ name: String, _ value: Value, _ parameters: Parameters = Parameters(), group: String? = nil) {
            (self.name, self.value, self.parameters, self.group) = (name, value, parameters, group)
        }
    }

    /// The changes to a property. Parts that are nil stay as written.
    struct Change {
        var value: Value?
        var parameters: Parameters?
        /// The new group; empty for none.
        var group: String?
    }

    /// The insertion of a property before the one at `index`.
    func patch(adding new: NewProperty, before index: Int) -> Patch {
        let value = written(new.value, as: new.name)
        var header = Header(group: new.group, name: new.name, version: version, charset: headerCharset)
        for parameter in described(new.parameters, by: value) { header.add(parameter) }
        let start = index < places.count ? places[index].start : end
        return Patch(
            index: index, range: start..<start, lines: apart(style.lines(header: header.bytes, value: value.value)),
            isForeign: header.isForeign)
    }

    /// The change of the property at `index`.
    func patch(changing index: Int, _ change: Change) -> Patch {
        let (property, place) = (properties[index], places[index])
        let header: Header
        let lines: [UInt8]
        if let value = change.value.map({ written($0, as: property.name) }) {
            let parameters = described(change.parameters ?? property.parameters, by: value)
            header = property.header(with: parameters, group: change.group)
            lines = style.lines(header: header.bytes, value: value.value)
        } else if var parameters = change.parameters {
            for name in ["ENCODING", "CHARSET"] { parameters[name] = property.parameters[name] }
            header = property.header(with: parameters, group: change.group)
            let isFoldable = place.manner.isDisjoint(with: [.quotedPrintable, .base64, .nested])
            lines =
                isFoldable
                ? style.folded(header.bytes + [.colon] + property.rawValue) + style.lineEnd
                : header.bytes + text[place.colon..<place.end]
        } else {
            header = property.header(with: nil, group: change.group)
            lines = header.bytes + text[place.colon..<place.end]
        }
        return Patch(index: index, range: place.range, lines: lines, isForeign: header.isForeign)
    }

    /// The removal of the property at `index`.
    func patch(removing index: Int) -> Patch { Patch(index: index, range: places[index].range, lines: []) }

    /// Lines that would begin a nested card, marked as a text by an empty fold.
    private func apart(_ lines: [UInt8]) -> [UInt8] {
        let beginsCard = lines.withUnsafeBufferPointer { bytes in
            bytes.cardAfterAgent(0..<(bytes.firstIndex(where: \.isLineEnd) ?? bytes.count)) != nil
        }
        return beginsCard ? lines + [.space] + style.lineEnd : lines
    }

    var style: LineStyle {
        let lineEnd = text.withUnsafeBufferPointer { bytes in
            let start = bytes.firstIndex(where: \.isLineEnd) ?? bytes.count
            return Array(bytes[start..<bytes.afterLineEnd(at: start)])
        }
        return LineStyle(version: version, lineEnd: lineEnd.isEmpty ? [.carriageReturn, .lineFeed] : lineEnd)
    }

    /// The charset of headers.
    private var headerCharset: CardCharset { encoding == .asIs ? charset : .utf8 }

    /// The value as this card writes it, in the card's charset; in UTF-8 if that lacks a character.
    private func written(_ value: Value, as name: String) -> (value: Value.Written, isForeign: Bool) {
        if case .card(let card) = value, version == .v2_1, name.uppercased() == PropertyName.agent.rawValue,
            let lines = card.nestedLines(endedBy: style.lineEnd)
        {
            return (.nested(lines), false)
        }
        let written = value.written(version)
        guard case .plain(let bytes) = written else { return (written, false) }
        guard let bytes = headerCharset.encoded(bytes) else { return (written, true) }
        return (.plain(bytes), false)
    }

    /// The parameters, with those that describe the encoding of the value.
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
            // One word of TYPE names the media type; the others stay.
            guard !type.isEmpty else { break }
            parameters["TYPE"] = [type] + parameters["TYPE"].filter { !MediaType.isWord($0) && $0.uppercased() != type }
        }
        return parameters
    }
}

extension VCard.Property {
    /// The written header with other parameters. Only the parameters that change are rewritten.
    ///
    /// Parameters with an unclosed quote are rewritten as well, because the new value could close it. `group` is the
    /// new group; empty for none, nil for no change.
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

// MARK: - Performing patches

extension VCard {
    /// Performs the patches that `plan` makes of a card, without a change of meaning anywhere else.
    ///
    /// A missing END is added first. Otherwise the new bytes could change where the card and its nested cards end.
    ///
    /// A card that is decoded as Windows-1252 stays in it if possible. If the new text has other characters, or if an
    /// edit removes the bytes that identified the charset, the card is converted to UTF-8 first. A card that is decoded
    /// as UTF-8 although it has invalid bytes gets an explicit charset if the identifying bytes are removed.
    mutating func edit(_ plan: (VCard) -> [Patch]) {
        var patches = plan(self)
        guard !patches.isEmpty else { return }
        if !isClosed {
            self = closed
            patches = plan(self)
        }
        if charset == .utf8 || !patches.contains(where: \.isForeign) {
            var edited = self
            edited.perform(patches[...])
            if edited.charset == charset || edited.undeclaredText.isNone {
                self = edited
                return
            }
        }
        recode()
        perform(plan(self)[...])
    }

    /// Performs patches, in the order of the card, and parses the card again.
    ///
    /// They are performed all at once: each patch begins with a name, ends its line and folds with blanks, so that it
    /// does not merge with the lines around it. Only a property that its program did not terminate (a soft break at the
    /// end, base64 without its empty line) could absorb the next line. If the result differs from the intention, each
    /// half of the patches is performed alone, down to a single patch, which is separated by an empty line.
    mutating func perform(_ patches: ArraySlice<Patch>) {
        guard !patches.isEmpty else { return }
        if let card = patched(patches, before: [], after: []) {
            self = card
        } else if patches.count > 1 {
            // The later half first, so that the indices of the earlier half stay valid.
            let middle = patches.startIndex + patches.count / 2
            perform(patches[middle...])
            perform(patches[..<middle])
        } else {
            performApart(patches)
        }
    }

    private mutating func performApart(_ patches: ArraySlice<Patch>) {
        let lineEnd = style.lineEnd
        let blanks = [.space] + lineEnd
        // Blanks after an empty line belong to no property, and separate an AGENT without a value from a card.
        for before in [[], lineEnd, blanks, lineEnd + blanks] {
            for after in [[], blanks, lineEnd, lineEnd + blanks] {
                guard let card = patched(patches, before: before, after: after) else { continue }
                self = card
                return
            }
        }
        // An empty line before terminates any open property, one after terminates the new property, and names contain
        // only letters.
        preconditionFailure("An edit of a card has made it unreadable.")
    }

    /// The card after these patches; nil if it would be parsed differently than intended.
    private func patched(_ patches: ArraySlice<Patch>, before: [UInt8], after: [UInt8]) -> VCard? {
        var patched: [UInt8] = []
        patched.reserveCapacity(text.count + patches.reduce(0) { $0 + $1.lines.count })
        var meant: [PropertyPlace?] = []
        var written: [(index: Int, range: Range<Int>)] = []
        var (copied, kept, growth) = (0, 0, 0)
        func keep(to index: Int) {
            for place in places[kept..<index] { meant.append(place.moved(by: growth)) }
            kept = index
        }
        for patch in patches {
            keep(to: patch.index)
            patched += text[copied..<patch.range.lowerBound] + before
            let start = patched.count
            patched += patch.lines + after
            if !patch.lines.isEmpty {
                written.append((meant.count, start..<patched.count))
                meant.append(nil)
            }
            if !patch.range.isEmpty { kept += 1 }
            copied = patch.range.upperBound
            growth = patched.count - copied
        }
        keep(to: places.count)
        patched += text[copied...]
        guard let card = VCard(patched: patched, of: self), card.places.count == meant.count else { return nil }
        let isKept = zip(card.places, meant).allSatisfy { place, meant in
            meant.map(place.hasValue) ?? true
        }
        let isWritten = written.allSatisfy { index, range in
            card.places[index].start == range.lowerBound && card.places[index].valueEnd <= range.upperBound
        }
        return isKept && isWritten ? card : nil
    }

    /// The card with its missing END lines, also those of nested cards.
    package var closed: VCard {
        guard !isClosed else { return self }
        let style = style
        let isEnded = text.last == .lineFeed || text.last == .carriageReturn && style.lineEnd == [.carriageReturn]
        var text = text
        if !isEnded { text += style.lineEnd }
        for _ in 0..<missingEnds { text += "END:VCARD".utf8 + style.lineEnd }
        guard let card = VCard(patched: text, of: self) else {
            preconditionFailure("A card has more cards in it that do not end than were counted.")
        }
        return card
    }

    /// The card with its missing END lines, and with BEGIN and END in capitals, which some servers require. Nested cards
    /// stay as written.
    package var inCapitals: VCard {
        let card = closed
        var text = card.text
        for start in [0, card.end] {
            let line = text[start...].indices.prefix { !text[$0].isLineEnd }
            for index in line { text[index] = text[index].capital }
        }
        return text == card.text ? card : VCard(patched: text, of: card) ?? card
    }

    /// Parses `text`; nil if it is not one card with its END.
    private init?(patched text: [UInt8], of card: VCard) {
        var cutter = CardCutter(limit: .max)
        guard
            case .card(let range, _, let frame) = text.withUnsafeBufferPointer({ cutter.next(in: $0, isWhole: true) }),
            range == text.indices, frame.missingEnds == 0
        else { return nil }
        self.init(text: text, encoding: card.encoding, line: card.line, frame: frame)
    }
}

// MARK: - Merging

extension VCard {
    /// The result of a merge of two edits of one card.
    package enum Merge: Hashable, Sendable {
        /// A card with both edits.
        case merged(VCard)
        /// Both edits changed these properties differently. The names are in capitals and in order.
        case conflict(properties: [String])
    }

    /// Applies the edit from `base` to `mine` to this card, property by property.
    ///
    /// Only the lines of edited properties change. PRODID and REV never conflict: this card keeps its own. The lines of
    /// a group belong together: two edits of one group conflict unless they are the same. Inserted lines get the line
    /// ends of this card.
    package func merging(_ mine: VCard, editedFrom base: VCard) -> Merge {
        if base == mine || self == mine { return .merged(self) }
        if base == self { return .merged(mine) }
        let edit = LineEdit(from: base, to: mine)
        let other = LineEdit(from: base, to: self)
        let conflicts = edit.conflicts(with: other, ofOneKind: isOfOneKind(as: mine))
        guard conflicts.isEmpty else { return .conflict(properties: conflicts) }
        var merged = self
        merged.edit { $0.patches(performing: edit.without(other)) }
        return .merged(merged)
    }

    /// The names of the properties that differ in another version of this card, in capitals and in order. Folding and
    /// times of writing do not count.
    package func properties(differingFrom other: VCard) -> [String] {
        let edit = LineEdit(from: self, to: other)
        return Set((edit.removed + edit.added).map(\.name)).sorted()
    }

    /// Whether lines of the other card are valid in this one as written, except for their line ends.
    private func isOfOneKind(as other: VCard) -> Bool {
        version == other.version && encoding == other.encoding && charset == .utf8 && other.charset == .utf8
    }

    /// The patches that perform an edit of another version of this card. A changed line keeps its position.
    private func patches(performing edit: LineEdit) -> [Patch] {
        let lineEnd = style.lineEnd
        let added = edit.added.map { $0.bytes(lineEnd: lineEnd) }
        var removed = Dictionary(edit.removed.map { ($0, 1) }, uniquingKeysWith: +)
        // The indices of the added lines that have no position yet, the first one last.
        var waiting = Dictionary(grouping: added.indices.reversed()) { edit.added[$0].name }
        var patches: [Patch] = []
        for (index, property) in properties.enumerated() {
            let line = WrittenLine(property)
            guard let count = removed[line], count > 0 else { continue }
            removed[line] = count - 1
            let new = waiting[line.name]?.popLast().map { added[$0] }
            patches.append(Patch(index: index, range: places[index].range, lines: new ?? []))
        }
        return patches
            + waiting.values.joined().sorted().map {
                Patch(index: places.count, range: end..<end, lines: added[$0])
            }
    }
}
