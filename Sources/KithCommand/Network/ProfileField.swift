import ArgumentParser
import KithModel

/// A field of the profile that can be emptied.
enum ProfileField: String, CaseIterable, ExpressibleByArgument {
    case given, family, nick, title, job, company, status, language, country
    case timeZone = "time-zone"
    case phone, email, site, address

    /// Reads a field by its word in `kith profile set`, or by the name of its part.
    init?(argument: String) {
        guard let field = Self(rawValue: argument) ?? Self.allCases.first(where: { $0.part.rawValue == argument })
        else { return nil }
        self = field
    }

    /// The property of the profile in which a field is stored.
    private enum Property {
        case text(WritableKeyPath<Profile, String?>)
        case entries(WritableKeyPath<Profile, [Profile.Entry]>)
        case addresses
    }

    /// The part of the profile, and its property.
    private var place: (part: Profile.Part, property: Property) {
        switch self {
        case .given: (.given, .text(\.given))
        case .family: (.family, .text(\.family))
        case .nick: (.nick, .text(\.nick))
        case .title: (.title, .text(\.title))
        case .job: (.jobTitle, .text(\.jobTitle))
        case .company: (.company, .text(\.company))
        case .status: (.status, .text(\.status))
        case .language: (.language, .text(\.language))
        case .country: (.country, .text(\.country))
        case .timeZone: (.timeZone, .text(\.timeZone))
        case .phone: (.phones, .entries(\.phones))
        case .email: (.emails, .entries(\.emails))
        case .site: (.sites, .entries(\.sites))
        case .address: (.addresses, .addresses)
        }
    }

    /// The field's part of the profile.
    var part: Profile.Part { place.part }

    /// The property of the profile, if it is a single text.
    var text: WritableKeyPath<Profile, String?>? { if case .text(let path) = place.property { path } else { nil } }

    /// The property of the profile, if it is a list of numbers, emails or sites.
    var entries: WritableKeyPath<Profile, [Profile.Entry]>? {
        if case .entries(let path) = place.property { path } else { nil }
    }

    func clear(_ profile: inout Profile) {
        switch place.property {
        case .text(let path): profile[keyPath: path] = nil
        case .entries(let path): profile[keyPath: path] = []
        case .addresses: profile.addresses = []
        }
    }
}
