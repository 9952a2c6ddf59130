import Foundation

/// An answer of an HTTP server.
struct HTTPAnswer {
    let status: Int
    /// The status line and the fields, without the empty line.
    let head: [UInt8]
    /// The body as it was sent, perhaps compressed.
    let body: [UInt8]

    /// The value of a field of the head; nil if there is none.
    func field(_ name: String) -> String? {
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n").dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                continue
            }
            return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// How often a text is in the body.
    func count(of text: String) -> Int { places(after: text).count }

    /// The texts that stand in the body after each occurrence of `mark`, up to the byte `end`.
    func texts(after mark: String, upTo end: Character) -> [String] {
        places(after: mark).map { place in
            String(decoding: body[place...].prefix { $0 != end.asciiValue }, as: UTF8.self)
        }
    }

    /// The places in the body after each occurrence of `mark`.
    private func places(after mark: String) -> [Int] {
        let mark = Array(mark.utf8)
        var (places, place) = ([Int](), 0)
        while place + mark.count <= body.count {
            if body[place] == mark[0], body[place..<(place + mark.count)].elementsEqual(mark) {
                place += mark.count
                places.append(place)
            } else {
                place += 1
            }
        }
        return places
    }
}
