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
