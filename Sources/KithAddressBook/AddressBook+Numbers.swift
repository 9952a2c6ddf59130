import Kith
public import KithModel
import Synchronization

extension AddressBook {
    // MARK: Numbers

    /// Where numbers that are written without their country's code are dialled: as the user chose, else as the client was
    /// configured, else by the locale. Nil if none of them says so.
    public var region: Region? { state.withLock(\.ownRegion) ?? dependencies.region }

    /// Reads all numbers again as dialled in a region, each from what was written. It is kept.
    ///
    /// Contacts whose numbers are others now are told as modified. It is done when this returns.
    ///
    /// - Parameter region: The user's choice; nil to take it back.
    /// - Throws: ``KithError`` if it cannot be kept: `diskFull`, `database`.
    public func setRegion(_ region: Region?) async throws {
        try await turn.withLock {
            try await store.set(.region, region?.code)
            state.withLock { $0.ownRegion = region }
        }
        await arranged()
    }

    /// All that is known of a number, read as dialled in ``region``: how to write it at home and abroad, what it reaches.
    ///
    /// Where there is no ``PhoneNumberParser``, that is how it was written, and its true form if it has its country's code.
    public func phoneNumber(_ written: String) -> PhoneNumber {
        let reader = reader
        if let parser = reader.parser { return parser.parse(written, in: reader.region) }
        return PhoneNumber(
            original: written, e164: reader.e164(written), national: written, international: written, kind: .unknown,
            isValid: false)
    }

    /// What has been typed of a number so far, grouped as it is written in ``region``: `0664 123`. Its separators are of no
    /// account, so that a field's own text can be handed back in.
    ///
    /// Where there is no ``PhoneNumberParser``, the text as it is.
    public func formatted(asTyped text: String) -> String {
        dependencies.phoneNumbers?.formatted(asTyped: text, in: region) ?? text
    }

    /// How numbers are read.
    var reader: PhoneReader { PhoneReader(parser: dependencies.phoneNumbers, region: region) }
}

/// Reads numbers, each where it is dialled.
struct PhoneReader: Sendable {
    let parser: (any PhoneNumberParser)?
    let region: Region?

    /// The true form of a number.
    ///
    /// Without a parser only that of one written with its country's code and nothing but digits and separators.
    func e164(_ text: String) -> E164? {
        if let parser { return parser.e164(text, in: region) }
        guard text.utf8.first == UInt8(ascii: "+"), !text.contains("(0"),
            text.utf8.dropFirst().allSatisfy({ Self.written.contains($0) })
        else { return nil }
        return E164("+" + text.filter { "0"..."9" ~= $0 })
    }

    private static let written = Array("0123456789 -./()".utf8)
}
