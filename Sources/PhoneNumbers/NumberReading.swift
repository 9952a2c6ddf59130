import CPhoneNumber
import KithModel

/// A number that libphonenumber has read, and what Kith makes of it.
///
/// - What is known of a country's plan ages: a number that the plan does not
///   know is a number all the same, and has an E.164 form to be matched by.
/// - What cannot be dialled from everywhere has none: a short code, and a number
///   that was written without country code and has too few digits, as one
///   without its area code has. `+43112` reaches nobody, and `112` is not Ada.
/// - A number from before its country lengthened all its numbers is read as what
///   it has become, so that both forms match. That is Brazil's ninth digit.
/// - Letters are digits, as in 1-800-FLOWERS, if the plan knows the number that
///   they make. Otherwise a note begins with them: `0664 123456 (Mama)`.
/// - 00 is the international prefix of most of the world (ITU-T E.164). A number
///   that begins with it and is unknown where it is dialled was written elsewhere,
///   if the plan knows what comes out.
struct NumberReading {
    private var number: CPhoneNumber
    private let region: Region?

    /// What is read in a text; nil if no number is.
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

    /// Gives an old mobile number the digit 9 that all got by 2016 (Anatel's Resolution 553).
    ///
    /// It stands behind the two digits of the area. Old mobile numbers began with
    /// 6 to 9; those of trunk radio, with 7, kept their eight digits and are valid.
    private mutating func addBrazilsNinthDigit() {
        guard number.country_code == 55, number.leading_zeros == 0, !isValid else { return }
        let (area, subscriber) = number.national_number.quotientAndRemainder(dividingBy: 100_000_000)
        guard (11...99).contains(area), subscriber >= 60_000_000 else { return }
        var longer = self
        longer.number.national_number = (area * 10 + 9) * 100_000_000 + subscriber
        if longer.isValid { self = longer }
    }

    /// The number in E.164; nil for what cannot be dialled from everywhere.
    var e164: E164? {
        guard !isIncomplete else { return nil }
        let zeros = String(repeating: "0", count: Int(number.leading_zeros))
        return E164("+\(number.country_code)\(zeros)\(number.national_number)")
    }

    /// What is dialled after the call is answered.
    var `extension`: String? {
        let text = withUnsafeBytes(of: number.extension) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return text.isEmpty ? nil : text
    }

    var national: String { formatted(CPhoneNumberNational) }
    var international: String { formatted(CPhoneNumberInternational) }

    /// What it reaches, and whether the plan knows it. Asking the plan is what costs, so both come at once.
    var standing: (kind: PhoneNumber.Kind, isKnown: Bool) {
        let (kind, shortness) = (plannedKind, number.has_country_code ? CPhoneNumberNotShort : shortness)
        return (
            shortness == CPhoneNumberNotShort ? PhoneNumber.Kind(kind) : .short,
            kind != CPhoneNumberUnknown || shortness == CPhoneNumberShort
        )
    }

    private var isValid: Bool { plannedKind != CPhoneNumberUnknown }

    private var plannedKind: CPhoneNumberKind {
        withUnsafePointer(to: number) { CPhoneNumberFindKind($0) }
    }

    /// Whether it was written without country code and cannot be given one.
    private var isIncomplete: Bool {
        guard !number.has_country_code else { return false }
        let length = withUnsafePointer(to: number) { CPhoneNumberCheckLength($0) }
        return length == CPhoneNumberLengthLocal || length == CPhoneNumberLengthTooShort || isShort
    }

    private var isShort: Bool {
        !number.has_country_code && shortness != CPhoneNumberNotShort
    }

    private var shortness: CPhoneNumberShortness {
        withUnsafePointer(to: number) { CPhoneNumberCheckShortness($0, region?.code) }
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
