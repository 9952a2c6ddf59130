// A card without END is given one by any edit: only then is it told for good where what is written ends.
extension VCard {
    /// One property put in, changed or taken out: which bytes of the card it takes the place of.
    struct Patch {
        /// The index of the property that it takes the place of, or before which it is put in.
        let index: Int
        /// The bytes of that property; none where one is put in.
        let range: Range<Int>
        /// The property as it is to be written; none where it is taken out.
        let lines: [UInt8]
        /// Whether a parameter is in UTF-8, which the card is not.
        var isForeign = false
    }
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

// MARK: - Performing patches

extension VCard {
    /// Performs the patches that `plan` makes of a card, so that everything else in it goes on to say what it says.
    ///
    /// A card without END is given one first. Where it ends, and which cards within it do, could else be told otherwise
    /// by what is written.
    ///
    /// A card that is taken for Windows-1252 stays in it, if it can: what is written could have letters that are not in
    /// it, and what is taken out could have been all that told. Then the card becomes UTF-8 first. One that is taken for
    /// UTF-8 although not all of it is has to say so if its letters go that told.
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

    /// Performs patches, which are in the order of the card, and reads the card again.
    ///
    /// All of them at once: what is written here begins with a name, ends its line and goes on with blanks, so that it
    /// neither takes in what follows nor belongs to what stands before it. Only a property that its program did not end
    /// (a soft break with nothing after it, base64 without its empty line) could take in what comes. So where the card
    /// would be read otherwise than meant, each half of the patches is performed by itself, down to the one that an
    /// empty line keeps apart.
    mutating func perform(_ patches: ArraySlice<Patch>) {
        guard !patches.isEmpty else { return }
        if let card = patched(patches, before: [], after: []) {
            self = card
        } else if patches.count > 1 {
            // The later half first: the places of the earlier one stay.
            let middle = patches.startIndex + patches.count / 2
            perform(patches[middle...])
            perform(patches[..<middle])
        } else {
            performApart(patches)
        }
    }

    private mutating func performApart(_ patches: ArraySlice<Patch>) {
        let lineEnd = manner.lineEnd
        let blanks = [.space] + lineEnd
        // Blanks behind an empty line belong to nothing, and part an AGENT without a value from a card.
        for before in [[], lineEnd, blanks, lineEnd + blanks] {
            for after in [[], blanks, lineEnd, lineEnd + blanks] {
                guard let card = patched(patches, before: before, after: after) else { continue }
                self = card
                return
            }
        }
        // An empty line before ends whatever is open, one after ends what was written, and names have but letters.
        preconditionFailure("An edit of a card has made it unreadable.")
    }

    /// The card after these patches; nil if it would be read otherwise than meant.
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

    /// The card with the lines of END that are missing: its own, and those of cards within it.
    package var closed: VCard {
        guard !isClosed else { return self }
        let manner = manner
        let isEnded = text.last == .lineFeed || text.last == .carriageReturn && manner.lineEnd == [.carriageReturn]
        var text = text
        if !isEnded { text += manner.lineEnd }
        for _ in 0..<missingEnds { text += "END:VCARD".utf8 + manner.lineEnd }
        guard let card = VCard(patched: text, of: self) else {
            preconditionFailure("A card has more cards in it that do not end than were counted.")
        }
        return card
    }

    /// The card that `text` is; nil if it is not one card with its END.
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
    /// What becomes of a card that two programs have edited.
    package enum Merge: Hashable, Sendable {
        /// Both edits are in this card.
        case merged(VCard)
        /// Both edits changed these properties, each in another way; in capitals, in order.
        case conflict(properties: [String])
    }

    /// This card with the edit that led from `base` to `mine`, property by property.
    ///
    /// Only the lines of the properties that the edit touched change. PRODID and REV never conflict: those of this
    /// card stay. The lines of a group belong together: two edits of one group conflict unless they are the same.
    /// Lines that are put in end as those of this card do.
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

    /// The names of the properties that another version of this card has changed, in capitals, in order; none if both
    /// say the same, however they are folded and whenever they were written.
    package func properties(differingFrom other: VCard) -> [String] {
        let edit = LineEdit(from: self, to: other)
        return Set((edit.removed + edit.added).map(\.name)).sorted()
    }

    /// Whether a line of the other card can stand in this one as it is written there, but for its line ends.
    private func isOfOneKind(as other: VCard) -> Bool {
        version == other.version && encoding == other.encoding && charset == .utf8 && other.charset == .utf8
    }

    /// What performs an edit of another version of this card: a line that was changed keeps its place.
    private func patches(performing edit: LineEdit) -> [Patch] {
        let lineEnd = manner.lineEnd
        var (removed, added) = (edit.removed, edit.added)
        var patches: [Patch] = []
        for (index, property) in properties.enumerated() {
            guard let old = removed.firstIndex(of: WrittenLine(property)) else { continue }
            removed.remove(at: old)
            let new =
                added.firstIndex { $0.name == property.name }.map { added.remove(at: $0).bytes(lineEnd: lineEnd) } ?? []
            patches.append(Patch(index: index, range: places[index].range, lines: new))
        }
        return patches + added.map { Patch(index: places.count, range: end..<end, lines: $0.bytes(lineEnd: lineEnd)) }
    }
}
