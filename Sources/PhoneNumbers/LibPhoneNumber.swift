import CPhoneNumber
import Foundation
public import KithModel

/// Telephone numbers as libphonenumber reads them, the library that every phone's address book follows.
///
/// It answers the same from any thread. The numbering plans are those of the
/// system's library; Debian 12 has those of October 2022 (8.12.57).
public struct LibPhoneNumber: PhoneNumberParser {
    /// The library; all of these are equal.
    public init() {}

    /// The true form of a number, read as dialled in `region`; nil for what has none.
    ///
    /// Two texts of one number have one true form, with these exceptions:
    /// - Where a country has lengthened its numbers, the old and the new one match
    ///   only in Brazil (the ninth digit) and where libphonenumber sees to it (the
    ///   1 behind Mexico's 52). In Benin, since 2024, they do not.
    /// - Argentina's mobile numbers are others than the fixed lines of the same
    ///   digits: without 9 or 15 they do not match.
    /// - Numbers that differ by their extension match.
    public func e164(_ text: String, in region: Region?) -> E164? {
        NumberReading(WrittenNumber(text, in: region))?.e164
    }

    /// All that is known of a number, read as dialled in `region`.
    public func parse(_ text: String, in region: Region?) -> PhoneNumber {
        let written = WrittenNumber(text, in: region)
        let reading = NumberReading(written)
        let e164 = reading?.e164
        let standing = reading?.standing
        // Of what is no number, or only here, nothing is known but the text.
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

    /// What has been typed so far, as `region` groups it: `0664 123`.
    ///
    /// The separators that it already has are of no account, so a field's own
    /// content can be handed back in. A text with anything else than digits, a
    /// plus before them and separators is returned as it is.
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
