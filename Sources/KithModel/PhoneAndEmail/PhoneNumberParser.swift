/// Reads telephone numbers as people write them.
///
/// On Linux this is libphonenumber (the module `PhoneNumbers`). On systems without a libphonenumber package, such as
/// iOS, the app supplies its own implementation.
public protocol PhoneNumberParser: Sendable {
    /// The canonical form of a number, read as dialled in `region`; nil if it has none (see ``PhoneNumber/e164``).
    ///
    /// Matching needs only this form. This method is called for every number of an address book, and for all of them
    /// again when the region changes. Without a region only a number with a country code has a canonical form. `text`
    /// is the number as it was written, possibly a `tel:` URI.
    func e164(_ text: String, in region: Region?) -> E164?

    /// The analysis of a number, read as dialled in `region`.
    func parse(_ text: String, in region: Region?) -> PhoneNumber

    /// The number as it has been typed so far, grouped for `region`: `0664 123`.
    func formatted(asTyped text: String, in region: Region?) -> String
}
