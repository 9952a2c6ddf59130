import Foundation

extension BrokenRule {
    /// The violation of the rules of share codes, in the field `code`.
    package init(_ fault: ShareCode.Fault) {
        let code: RejectionCode =
            switch fault {
            case .illegalCharacter: .codeIllegal
            case .outOfRange: .codeLength
            case .reserved: .codeReserved
            case .taken: .codeTaken
            }
        self.init(code, field: "code", fault.sentence)
    }

    /// The reason why a field's text cannot be the name of a channel or a programme; nil if it can.
    static func fault(ofName field: String, in fields: Fields) -> BrokenRule? {
        if fields[field]?.text.flatMap({ ShareChannel(rawValue: $0) }) != nil { return nil }
        return BrokenRule(.invalid, field: field, "“\(field)” is not a name of 1 to 32 of a-z, 0-9 and hyphens.")
    }

    /// The reason why a field's text is not a JSON object; nil if it is one, or if there is no text.
    static func fault(ofJSON field: String, in fields: Fields) -> BrokenRule? {
        guard let text = fields[field]?.text, !text.isEmpty else { return nil }
        if (try? JSONDecoder().decode(Fields.self, from: Data(text.utf8))) != nil { return nil }
        return BrokenRule(.invalid, field: field, "“\(field)” is not a JSON object.")
    }

    /// The reason why a text is not a share code; nil if it is one.
    static func fault(ofCodeIn fields: Fields) -> BrokenRule? {
        do throws(ShareCode.Fault) {
            _ = try ShareCode(fields["code"]?.text ?? "")
            return nil
        } catch {
            return BrokenRule(error)
        }
    }
}
