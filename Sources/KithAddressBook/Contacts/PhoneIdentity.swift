import KithModel

/// The identity by which two written numbers are equal: the E.164 form, else the digits, else the text.
enum PhoneIdentity: Hashable {
    case e164(E164)
    case digits([UInt8])
    case text(String)

    init(_ text: String, _ number: E164?) {
        if let number {
            self = .e164(number)
        } else {
            let digits = Digits.read(text)
            self = digits.isEmpty ? .text(text) : .digits(digits)
        }
    }
}
