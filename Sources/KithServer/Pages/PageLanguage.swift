import Foundation
import KithModel

/// A language of the web pages.
package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"

    /// The language with the highest weight among those of the pages (RFC 9110, section 12.5.4). A language of a region
    /// counts as the language itself (RFC 4647, section 3.4).
    ///
    /// - Parameters:
    ///   - accepted: The value of `Accept-Language`; nil if there is none.
    ///   - fallback: The language if none of the accepted ones is a language of the pages.
    package init(accepted: String?, fallback: PageLanguage = .english) {
        var best: (language: PageLanguage, weight: Double)?
        for (tag, weight) in Self.weights(accepted) {
            guard weight > best?.weight ?? 0, let language = Self.language(of: tag) else { continue }
            best = (language, weight)
        }
        self = best?.language ?? fallback
    }

    /// The language of a tag such as `de-AT`; nil if the pages do not have it.
    package static func language(of tag: some StringProtocol) -> PageLanguage? {
        tag.split { $0 == "-" || $0 == "_" }.first.flatMap { PageLanguage(rawValue: $0.lowercased()) }
    }

    /// The tags of a header with their weights, highest first.
    package static func tags(accepted: String?) -> [String] {
        weights(accepted).filter { $0.weight > 0 && LanguageTag.isTag($0.tag) }
            .enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.tag)
    }

    private static func weights(_ accepted: String?) -> [(tag: String, weight: Double)] {
        WeightedList.values(of: accepted, limit: 20).map { ($0.value, $0.weight) }
    }

    /// The locale for dates.
    var locale: Locale { Locale(identifier: rawValue) }
}
