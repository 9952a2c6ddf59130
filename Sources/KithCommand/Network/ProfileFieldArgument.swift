import ArgumentParser
import KithModel

/// A field of the profile that a user names: by its word in `kith profile set`, or by the name of its part.
struct ProfileFieldArgument: ExpressibleByArgument {
    let field: ProfileField

    /// The fields that can be typed: those with a single text, then those with several.
    private static let fields: [ProfileField] = {
        var texts: [ProfileField] = []
        var lists: [ProfileField] = []
        for field in Profile.allFields {
            switch field.content {
            case .text: texts.append(field)
            case .entries, .addresses: lists.append(field)
            case .picture: break
            }
        }
        return texts + lists
    }()

    init?(argument: String) {
        let field =
            Self.fields.first { $0.word == argument } ?? Self.fields.first { $0.part.rawValue == argument }
        guard let field else { return nil }
        self.field = field
    }

    var defaultValueDescription: String { field.word }

    static var allValueStrings: [String] { fields.map(\.word) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
