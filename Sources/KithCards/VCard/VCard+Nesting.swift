extension VCard {
    /// The lines of the card in UTF-8, with its END and without their ends: as they can stand in another card.
    var plainLines: [[UInt8]] {
        let card = inUTF8 ?? inBytes
        return card.text.withUnsafeBufferPointer { bytes in
            let lines = ContentLines(bytes: bytes, areEndedByCR: PropertyScan.endsLinesWithCR(bytes))
            var plain: [[UInt8]] = []
            var place = 0
            while place < bytes.count {
                let line = lines.line(at: place)
                // A CR within a line would end it in a card of other line ends.
                let text = bytes[line.start..<line.end].filter { $0 != .carriageReturn }
                plain.append(Array(String(decoding: text, as: UTF8.self).utf8))
                place = line.next
            }
            return plain
        }
    }

    /// The lines of the card as they are nested in an AGENT; nil if it would not be read so: there are too many cards in
    /// it already.
    func nestedLines(endedBy lineEnd: [UInt8]) -> [UInt8]? {
        let lines = plainLines.flatMap { $0 + lineEnd }
        let begin = "BEGIN:VCARD".utf8 + lineEnd + "AGENT:".utf8 + lineEnd
        var cutter = CardCutter(limit: .max)
        let around = begin + lines + "END:VCARD".utf8 + lineEnd
        guard
            case .card(let range, _, let frame) = around.withUnsafeBufferPointer({ cutter.next(in: $0, isWhole: true) }),
            range == around.indices, frame.missingEnds == 0, frame.nested.map(\.range) == [begin.count..<frame.end]
        else { return nil }
        return lines
    }
}
