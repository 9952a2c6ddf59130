import TextEncodings

/// One iCalendar property: `NAME;PARAMETER=VALUE:value`.
///
/// Values of vCalendar 1.0 can be in quoted-printable and in another charset.
struct CalendarLine {
    /// The name in capitals.
    let name: String
    /// The parameters by name, in capitals.
    let parameters: [String: String]
    /// The value from the file, without quoted-printable.
    let value: String

    /// Why a line cannot be read.
    enum Fault: Error {
        case noProperty, notUTF8, tooManyMarks, unknownCharset

        var sentence: String {
            switch self {
            case .noProperty: "This is not a property: it has no name and colon."
            case .notUTF8: "The line has bytes that are not UTF-8."
            case .tooManyMarks: "The line has \(StreamSafeText.excess)."
            case .unknownCharset: "The charset of the line is not known. Save the file in UTF-8."
            }
        }
    }

    init(_ bytes: ArraySlice<UInt8>) throws(Fault) {
        // A colon in quotes belongs to a parameter.
        var isQuoted = false
        var parts: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var colon: Int?
        for index in bytes.indices {
            switch bytes[index] {
            case .quote: isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted, UInt8(ascii: ":") where !isQuoted:
                parts.append(bytes[start..<index])
                start = index + 1
                if bytes[index] == UInt8(ascii: ":") { colon = index }
            default: break
            }
            if colon != nil { break }
        }
        let header = parts.compactMap { String(inFile: $0) }
        guard let colon, let name = header.first, header.count == parts.count, !name.isEmpty,
            name.unicodeScalars.allSatisfy(\.isNamePart)
        else {
            guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
            throw header.count == parts.count ? Fault.noProperty : Fault.tooManyMarks
        }
        self.name = name.uppercased()
        var parameters: [String: String] = [:]
        for part in header.dropFirst() {
            guard let sign = part.unicodeScalars.firstIndex(of: "=") else { continue }
            let value = part.unicodeScalars[sign...].dropFirst().filter { $0 != "\"" }
            parameters[String(part.unicodeScalars[..<sign]).uppercased()] = String(String.UnicodeScalarView(value))
        }
        self.parameters = parameters
        // Version 1.0 writes the encoding also without a name.
        let encodings = header.dropFirst().filter { !$0.contains("=") } + [parameters["ENCODING"] ?? ""]
        let isQuotedPrintable = encodings.contains { $0.uppercased() == "QUOTED-PRINTABLE" }
        let raw = bytes[(colon + 1)...]
        let decoded = isQuotedPrintable ? HexCodes.quotedPrintable.decoded(raw)[...] : raw
        let text = try Self.text(decoded, in: parameters["CHARSET"])
        value = isQuotedPrintable ? text.textLines.joined(separator: "\n") : text
    }

    private static func text(_ bytes: ArraySlice<UInt8>, in charset: String?) throws(Fault) -> String {
        let charset = charset.map { CharsetName($0) }
        if charset?.isWindows1252 == true { return String(decoding: Windows1252.utf8(bytes), as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) {
            guard StreamSafeText.accepts(text) else { throw .tooManyMarks }
            return text
        }
        throw charset?.isUTF8 ?? true ? Fault.notUTF8 : Fault.unknownCharset
    }

    /// The value as text, with escapes resolved.
    var text: String { texts(parted: false)[0] }
    /// The first of several texts that are separated by commas.
    var firstText: String { texts(parted: true)[0].trimmed }

    /// Whether there are several texts that are separated by commas.
    var hasSeveralTexts: Bool { texts(parted: true).count > 1 }

    private func texts(parted: Bool) -> [String] {
        var texts = [String.UnicodeScalarView()]
        var scalars = value.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == "," && parted {
                texts.append(String.UnicodeScalarView())
            } else if scalar == "\\", let next = scalars.next() {
                switch next {
                case "n", "N": texts[texts.count - 1].append("\n")
                case "\\", ",", ";", ":", "\"": texts[texts.count - 1].append(next)
                default: texts[texts.count - 1].append(contentsOf: [scalar, next])
                }
            } else {
                texts[texts.count - 1].append(scalar)
            }
        }
        return texts.map { String($0) }
    }
}
