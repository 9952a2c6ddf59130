import CPhoneNumber
import KithModel

/// A number that libphonenumber has parsed, with Kith's additional rules.
///
/// - Numbering plans become outdated. A number that the plan does not contain still has an E.164 form, so that it can
///   be compared.
/// - A number that cannot be dialled from everywhere has no E.164 form. This applies to short codes, and to numbers
///   without a country code that have too few digits, for example because the area code is missing. `+43112` reaches
///   nobody, and `112` does not identify a person.
/// - If a country has lengthened all its numbers, an old number is parsed as the new one, so that both are equal. This
///   applies to Brazil's ninth digit.
/// - Letters count as digits, as in 1-800-FLOWERS, if the plan contains the resulting number. Otherwise they begin a
///   note: `0664 123456 (Mama)`.
/// - 00 is the international prefix of most countries (ITU-T E.164). A number that begins with 00 and is unknown in its
///   region is parsed as an international number, if the plan contains the result.
struct NumberReading {
    private var number: CPhoneNumber
    private let region: Region?

    /// The number in a text; nil if there is none.
    init?(_ written: WrittenNumber) {
        guard !written.isServiceCode else { return nil }
        var written = written
        var reading = NumberReading(exactly: written)
        if let bare = written.withoutNote, reading?.isValid != true {
            (written, reading) = (bare, NumberReading(exactly: bare) ?? reading)
        }
        if let other = written.withPlusForDoubleZero, reading?.isValid != true,
            let elsewhere = NumberReading(exactly: other), elsewhere.isValid
        {
            reading = elsewhere
        }
        guard let reading else { return nil }
        self = reading
    }

    private init?(exactly written: WrittenNumber) {
        region = written.region
        number = CPhoneNumber()
        var text = written.text
        let isRead = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { CPhoneNumberRead($0, characters.count, written.region?.code, &number) }
            }
        }
        guard isRead == true else { return nil }
        addBrazilsNinthDigit()
    }

    /// The library's example of a mobile number in a region; nil if it has none.
    init?(exampleIn region: Region) {
        self.region = region
        number = CPhoneNumber()
        guard CPhoneNumberMobileExample(region.code, &number) else { return nil }
    }

    /// The region that the number belongs to; nil if there is none.
    var ownRegion: Region? {
        let letters = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 3) { letters -> String? in
            guard let start = letters.baseAddress,
                withUnsafePointer(to: number, { CPhoneNumberRegion($0, start) })
            else { return nil }
            return String(cString: start)
        }
        return letters.flatMap { Region($0) }
    }

    /// Adds the digit 9 to an old Brazilian mobile number. All mobile numbers had it by 2016 (Anatel's Resolution 553).
    ///
    /// The 9 follows the two digits of the area code. Old mobile numbers began with 6 to 9. Trunk radio numbers, which
    /// begin with 7, kept their eight digits and are valid.
    private mutating func addBrazilsNinthDigit() {
        guard number.country_code == 55, number.leading_zeros == 0, !isValid else { return }
        let (area, subscriber) = number.national_number.quotientAndRemainder(dividingBy: 100_000_000)
        guard (11...99).contains(area), subscriber >= 60_000_000 else { return }
        var longer = self
        longer.number.national_number = (area * 10 + 9) * 100_000_000 + subscriber
        if longer.isValid { self = longer }
    }

    /// The number in E.164; nil if it cannot be dialled from everywhere.
    var e164: E164? {
        guard !isIncomplete else { return nil }
        let zeros = String(repeating: "0", count: Int(number.leading_zeros))
        return E164("+\(number.country_code)\(zeros)\(number.national_number)")
    }

    /// The extension: the digits to dial after the call is answered.
    var `extension`: String? {
        let text = withUnsafeBytes(of: number.extension) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return text.isEmpty ? nil : text
    }

    var national: String { formatted(CPhoneNumberNational) }
    var international: String { formatted(CPhoneNumberInternational) }

    /// The kind of line, and whether the plan contains the number. Computed together, because each lookup in the plan
    /// is expensive.
    var standing: (kind: PhoneNumber.Kind, isKnown: Bool) {
        let (kind, shortness) = (plannedKind, self.shortness)
        return (
            shortness == CPhoneNumberNotShort ? PhoneNumber.Kind(kind) : .short,
            kind != CPhoneNumberUnknown || shortness == CPhoneNumberShort
        )
    }

    private var isValid: Bool { plannedKind != CPhoneNumberUnknown }

    private var plannedKind: CPhoneNumberKind {
        withUnsafePointer(to: number) { CPhoneNumberFindKind($0) }
    }

    /// Whether it was written without a country code and is too short to get one.
    private var isIncomplete: Bool {
        guard !number.has_country_code else { return false }
        let length = withUnsafePointer(to: number) { CPhoneNumberCheckLength($0) }
        return length == CPhoneNumberLengthLocal || length == CPhoneNumberLengthTooShort
            || shortness != CPhoneNumberNotShort
    }

    /// Whether it can only be dialled in its region. A number with a country code cannot be short.
    private var shortness: CPhoneNumberShortness {
        if number.has_country_code { return CPhoneNumberNotShort }
        return withUnsafePointer(to: number) { CPhoneNumberCheckShortness($0, region?.code) }
    }

    private func formatted(_ style: CPhoneNumberStyle) -> String {
        String(unsafeUninitializedCapacity: 128) { bytes in
            withUnsafePointer(to: number) { number in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    characters.baseAddress.map { CPhoneNumberFormat(number, style, $0, characters.count) } ?? 0
                }
            }
        }
    }
}

extension PhoneNumber.Kind {
    init(_ kind: CPhoneNumberKind) {
        switch kind {
        case CPhoneNumberFixedLine: self = .fixedLine
        case CPhoneNumberMobile: self = .mobile
        case CPhoneNumberFixedLineOrMobile: self = .fixedLineOrMobile
        case CPhoneNumberTollFree: self = .tollFree
        case CPhoneNumberPremiumRate: self = .premiumRate
        case CPhoneNumberSharedCost: self = .sharedCost
        case CPhoneNumberVoIP: self = .voip
        case CPhoneNumberPersonal: self = .personal
        case CPhoneNumberPager: self = .pager
        case CPhoneNumberCompany: self = .company
        case CPhoneNumberVoicemail: self = .voicemail
        default: self = .unknown
        }
    }
}
