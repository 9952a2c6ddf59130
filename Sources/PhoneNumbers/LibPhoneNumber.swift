import CPhoneNumber
import Foundation
public import KithModel

/// Parses telephone numbers with libphonenumber, the reference library.
///
/// It can be used from any thread. The numbering plans are those of the system's library; Debian 12 has those of
/// October 2022 (8.12.57).
public struct LibPhoneNumber: NumberingPlan {
    /// Creates a parser. All instances are equal.
    public init() {}

    /// The E.164 form of a number as dialled in `region`; nil if it has none.
    ///
    /// All spellings of a number have the same E.164 form, with these exceptions:
    /// - If a country has lengthened its numbers, the old and the new form are equal only in Brazil (the ninth digit)
    ///   and where libphonenumber handles it (the 1 after Mexico's 52). They are not equal in Benin, which lengthened
    ///   its numbers in 2024.
    /// - In Argentina, a mobile number that is written without 9 or 15 equals the fixed line with the same digits, not
    ///   the mobile number.
    /// - Numbers that differ only in their extension are equal.
    public func e164(_ text: String, in region: Region?) -> E164? {
        NumberReading(WrittenNumber(text, in: region))?.e164
    }

    /// All details of a number as dialled in `region`.
    public func parse(_ text: String, in region: Region?) -> PhoneNumber {
        let written = WrittenNumber(text, in: region)
        let reading = NumberReading(written)
        let e164 = reading?.e164
        let standing = reading?.standing
        // If the text is not a number, or is one only in this region, its own spelling is shown.
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

    /// Formats the digits typed so far as in `region`: `0664 123`.
    ///
    /// Existing separators are ignored, so a text field can pass in its own content. A text that contains anything but
    /// digits, a leading plus and separators is returned unchanged.
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

    /// The calling code of a country; nil if the library does not know it.
    public func callingCode(of region: Region) -> Int? {
        let code = CPhoneNumberCallingCode(region.code)
        return code == 0 ? nil : Int(code)
    }

    /// The library's example of a mobile number.
    public func mobileExample(in region: Region) -> PhoneNumber? {
        guard let reading = NumberReading(exampleIn: region), let number = reading.e164 else { return nil }
        return parse(number.text, in: region)
    }

    /// The country that a number belongs to; nil if no country has its calling code, or several have it and no plan of
    /// theirs contains the number.
    public func region(of number: E164) -> Region? {
        NumberReading(WrittenNumber(number.text, in: nil))?.ownRegion
    }
}
