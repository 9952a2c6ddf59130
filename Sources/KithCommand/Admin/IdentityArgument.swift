import ArgumentParser
import KithModel

#if canImport(PhoneNumbers)
    import PhoneNumbers
#endif

/// A number or an email, as the operator types it.
struct IdentityArgument: ParsableArguments {
    @Argument(help: "The number, such as +436641234567, or the email.") var value: String
    @Option(
        help: ArgumentHelp(
            "Where a number without its country's code is dialled, such as AT; for this command alone.",
            valueName: "region"),
        transform: RegionOption.region)
    var region: Region?

    /// The number or email in the form in which people prove it, and in which others look for it.
    ///
    /// - Throws: ``Failure`` `usage` if the text is neither, or is a number that not everybody can dial.
    func identity() throws -> Identity {
        if let canonical { return canonical }
        let advice =
            region == nil && !value.contains("@")
            ? "Write the number with its country's code, such as +436641234567, or say where it is dialled: --region AT"
            : "Write a number that can be dialled from everywhere, or an email such as ada@example.com."
        throw Failure.usage("“\(value)” is neither a number nor an email. \(advice)")
    }

    /// The identities that may be stored for the text, of which the first counts that is: the text as it stands, which an
    /// earlier version has stored, and its canonical form.
    ///
    /// - Throws: ``Failure`` `usage` if there is none.
    func stored() throws -> [Identity] {
        guard let literal, literal != canonical else { return [try identity()] }
        return [literal, canonical].compactMap(\.self)
    }

    private var literal: Identity? {
        Identity(value) ?? EmailAddress(value).map(Identity.email) ?? E164(value).map(Identity.phone)
    }

    private var canonical: Identity? {
        #if canImport(PhoneNumbers)
            let parser = LibPhoneNumber()
            switch literal {
            case .email?: return literal
            case .phone(let number)?: return parser.e164(number.text, in: nil).map(Identity.phone)
            case nil:
                // Letters would count as digits, as on a keypad, and the number could be that of a stranger.
                let isNumber = !value.contains { $0 == "@" || $0.isLetter }
                return isNumber ? parser.e164(value, in: region).map(Identity.phone) : nil
            }
        #else
            return literal
        #endif
    }
}
