import Testing

import KithCards

@Suite struct MergingTests {
    private func card(_ lines: String...) throws -> VCard {
        let text = ["BEGIN:VCARD", "VERSION:3.0"] + lines + ["END:VCARD", ""]
        return try VCard(Array(text.joined(separator: "\r\n").utf8))
    }

    @Test("Edits of different properties are both in the card, and nothing else changes")
    func both() throws {
        let base = try card("FN:Ada", "TEL:1", "X-A;Y=z: kept", "NOTE:old")
        let mine = try card("FN:Ada", "TEL:2", "X-A;Y=z: kept", "NOTE:old")
        let theirs = try card("FN:Ada", "TEL:1", "X-A;Y=z: kept", "EMAIL:a@b.example", "NOTE:new", "REV:2")
        let merged = try card("FN:Ada", "TEL:2", "X-A;Y=z: kept", "EMAIL:a@b.example", "NOTE:new", "REV:2")
        #expect(theirs.merging(mine, editedFrom: base) == .merged(merged))
    }

    @Test("Each side may add a number of its own, or both take the same one out")
    func numbers() throws {
        let base = try card("FN:Ada", "TEL:1")
        #expect(
            try card("FN:Ada", "TEL:1", "TEL:3").merging(card("FN:Ada", "TEL:1", "TEL:2"), editedFrom: base)
                == .merged(card("FN:Ada", "TEL:1", "TEL:3", "TEL:2")))
        #expect(
            try card("FN:Ada", "NOTE:n").merging(card("FN:Ada"), editedFrom: base)
                == .merged(card("FN:Ada", "NOTE:n")))
    }

    @Test("Two edits of the same property conflict")
    func conflict() throws {
        let base = try card("FN:Ada", "TEL:1", "item1.URL:u", "item1.X-ABLABEL:l")
        let name = try card("FN:Ida", "TEL:2", "item1.URL:u", "item1.X-ABLABEL:l")
        let other = try card("FN:Eda", "TEL:3", "item1.URL:u", "item1.X-ABLABEL:l")
        #expect(other.merging(name, editedFrom: base) == .conflict(properties: ["FN", "TEL"]))
        let url = try card("FN:Ada", "TEL:1", "item1.URL:v", "item1.X-ABLABEL:l")
        let label = try card("FN:Ada", "TEL:1", "item1.URL:u", "item1.X-ABLABEL:m")
        #expect(label.merging(url, editedFrom: base) == .conflict(properties: ["URL"]))
    }

    @Test("If both remove one of two equal lines, only one is removed")
    func twice() throws {
        let base = try card("FN:Ada", "TEL:1", "TEL:1", "NOTE:n")
        let mine = try card("FN:Ada", "TEL:1")
        let theirs = try card("FN:Ada", "TEL:1", "NOTE:n", "URL:u")
        #expect(try theirs.merging(mine, editedFrom: base) == .merged(card("FN:Ada", "TEL:1", "URL:u")))
    }

    @Test("Each changed line keeps its position, and further lines follow at the end in their order")
    func positions() throws {
        let base = try card("TEL:1", "URL:u", "TEL:1", "EMAIL:e", "TEL:2")
        let mine = try card("TEL:3", "TEL:1", "TEL:4", "URL:v", "URL:w", "TEL:5", "EMAIL:e")
        let theirs = try card("TEL:1", "URL:u", "X-A:a", "TEL:1", "EMAIL:e", "TEL:2")
        let merged = try card("TEL:3", "URL:v", "X-A:a", "TEL:1", "EMAIL:e", "TEL:4", "URL:w", "TEL:5")
        #expect(theirs.merging(mine, editedFrom: base) == .merged(merged))
    }

    @Test("An inserted line has the same line end as the card's other lines", arguments: ["\n", "\r\n"])
    func lineEnds(lineEnd: String) throws {
        let base = try card("FN:Ada")
        let theirs = ["BEGIN:VCARD", "VERSION:3.0", "FN:Ada", "NOTE:n"]
        let end = ["END:VCARD", ""]
        let merged = try VCard(Array((theirs + ["TEL:2", " 3"] + end).joined(separator: lineEnd).utf8))
        let present = try VCard(Array((theirs + end).joined(separator: lineEnd).utf8))
        #expect(try present.merging(card("FN:Ada", "TEL:2", " 3"), editedFrom: base) == .merged(merged))
    }

    @Test("Cards that differ only in folding, PRODID and REV are equal in content")
    func differences() throws {
        let base = try card("FN:Ada", "NOTE:long", "REV:1")
        #expect(try base.properties(differingFrom: card("FN:Ada", "NOTE:lo", " ng", "REV:2", "PRODID:x")) == [])
        #expect(try base.properties(differingFrom: card("FN:Ida", "TEL:1", "NOTE:long")) == ["FN", "TEL"])
    }
}
