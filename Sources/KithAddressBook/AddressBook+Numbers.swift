import Kith
public import KithModel
import Synchronization

extension AddressBook {
    // MARK: Numbers

    /// The region of numbers without a country code: the user's choice, else the client's configuration, else the
    /// locale's. Nil if none of them names one.
    public var region: Region? { state.withLock(\.ownRegion) ?? dependencies.region }

    /// Sets the region, and parses the original text of all numbers again. The choice is stored.
    ///
    /// Contacts whose numbers change are reported as modified, before this call returns.
    ///
    /// - Parameter region: The user's choice; nil to remove it.
    /// - Throws: `KithError` if it cannot be stored: `diskFull`, `database`.
    public func setRegion(_ region: Region?) async throws {
        try await turn.withLock {
            try await store.set(.region, region?.code)
            state.withLock { $0.ownRegion = region }
        }
        await arranged()
    }

    /// The details of a number as dialled in ``region``: its national and international forms, and its type.
    ///
    /// Without a `PhoneNumberParser`: the original text, and the E.164 form if the number has a country code.
    public func phoneNumber(_ written: String) -> PhoneNumber {
        let reader = reader
        if let parser = reader.parser { return parser.parse(written, in: reader.region) }
        return PhoneNumber(
            original: written, e164: reader.e164(written), national: written, international: written, kind: .unknown,
            isValid: false)
    }

    /// The typed part of a number, formatted as in ``region``: `0664 123`. Separators in the text are ignored, so a field
    /// can pass its own formatted text.
    ///
    /// Without a `PhoneNumberParser`, the text itself.
    public func formatted(asTyped text: String) -> String {
        dependencies.phoneNumbers?.formatted(asTyped: text, in: region) ?? text
    }

    /// The reader of numbers.
    var reader: PhoneReader { PhoneReader(parser: dependencies.phoneNumbers, region: region) }
}

/// Parses numbers, each by its region.
struct PhoneReader: Sendable {
    let parser: (any PhoneNumberParser)?
    let region: Region?

    /// The E.164 form of a number.
    ///
    /// Without a parser, only for a number with a country code that contains nothing but digits and separators.
    func e164(_ text: String) -> E164? {
        if let parser { return parser.e164(text, in: region) }
        guard text.utf8.first == UInt8(ascii: "+"), !text.contains("(0"),
            text.utf8.dropFirst().allSatisfy({ Self.written.contains($0) })
        else { return nil }
        return E164("+" + text.filter { "0"..."9" ~= $0 })
    }

    private static let written = Array("0123456789 -./()".utf8)
}
