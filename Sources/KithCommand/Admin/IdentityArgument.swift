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

    /// - Throws: ``Failure`` `usage` if the text is neither, or is a number that not everybody can dial.
    func identity() throws -> Identity {
        if let identity = Identity(value) { return identity }
        if let address = EmailAddress(value) { return .email(address) }
        if let number = E164(value) { return .phone(number) }
        #if canImport(PhoneNumbers)
            if !value.contains("@"), let number = LibPhoneNumber().e164(value, in: region) {
                return .phone(number)
            }
        #endif
        let advice =
            region == nil && !value.contains("@")
            ? "Write the number with its country's code, such as +436641234567, or say where it is dialled: --region AT"
            : "Write a number that can be dialled from everywhere, or an email such as ada@example.com."
        throw Failure.usage("“\(value)” is neither a number nor an email. \(advice)")
    }
}
