import CPhoneNumber
import Foundation
public import KithModel

/// Reads telephone numbers with libphonenumber, the reference library.
///
/// It can be used from any thread. The numbering plans are those of the system's library; Debian 12 has those of
/// October 2022 (8.12.57).
public struct LibPhoneNumber: PhoneNumberParser {
    /// The parser; all instances are equal.
    public init() {}

    /// The E.164 form of a number, read as dialled in `region`; nil if it has none.
    ///
    /// Two texts of one number have the same E.164 form, with these exceptions:
    /// - If a country has lengthened its numbers, the old and the new number match only in Brazil (the ninth digit) and
    ///   where libphonenumber handles it (the 1 after Mexico's 52). In Benin, since 2024, they do not.
    /// - Argentina's mobile numbers differ from fixed lines with the same digits: without 9 or 15 they do not match.
    /// - Numbers that differ only in their extension match.
    public func e164(_ text: String, in region: Region?) -> E164? {
        NumberReading(WrittenNumber(text, in: region))?.e164
    }

    /// All details of a number, read as dialled in `region`.
    public func parse(_ text: String, in region: Region?) -> PhoneNumber {
        let written = WrittenNumber(text, in: region)
        let reading = NumberReading(written)
        let e164 = reading?.e164
        let standing = reading?.standing
        // If the text is not a number, or a number only in this region, only the text is known.
        let shown = e164 == nil ? nil : reading
        let trimmed = written.text.trimmingCharacters(in: .whitespacesAndNewlines)
        return PhoneNumber(
            original: text,
            e164: e164,
            extension: reading?.extension,
            national: shown?.national ?? trimmed,
            international: shown?.international ?? trimmed,
            kind: standing?.kind ?? (written.isServiceCode ? .short : .unknown),
            isValid: standing?.isKnown ?? false)
    }

    /// The digits typed so far, grouped as in `region`: `0664 123`.
    ///
    /// Existing separators are ignored, so a text field can pass in its own content. A text with anything else than
    /// digits, a plus before them and separators is returned as it is.
    public func formatted(asTyped text: String, in region: Region?) -> String {
        guard var typed = WrittenNumber.typed(text), typed.utf8.count <= CPhoneNumberLongestText else { return text }
        let grouped = String(unsafeUninitializedCapacity: 4 * typed.utf8.count) { grouped in
            typed.withUTF8 { typed in
                typed.withMemoryRebound(to: CChar.self) { typed in
                    grouped.withMemoryRebound(to: CChar.self) { grouped in
                        guard let from = typed.baseAddress, let to = grouped.baseAddress else { return 0 }
                        return CPhoneNumberGroup(from, typed.count, region?.code, to, grouped.count)
                    }
                }
            }
        }
        return grouped.isEmpty ? text : grouped
    }
}
