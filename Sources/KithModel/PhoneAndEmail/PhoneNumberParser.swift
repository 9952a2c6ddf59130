/// Reads telephone numbers as people write them.
///
/// On Linux the implementation is libphonenumber (the module `PhoneNumbers`). On systems without a libphonenumber
/// package, such as iOS, the app supplies its own implementation.
public protocol PhoneNumberParser: Sendable {
    /// The canonical form of a number as it is dialled in `region`; nil if it has none (see ``PhoneNumber/e164``).
    ///
    /// Matching needs only this form. This method is called for every number of an address book, and for all of them
    /// again when the region changes. Without a region, only numbers with a country code have a canonical form. `text`
    /// is the number as it was written, possibly a `tel:` URI.
    func e164(_ text: String, in region: Region?) -> E164?

    /// The analysis of a number as it is dialled in `region`.
    func parse(_ text: String, in region: Region?) -> PhoneNumber

    /// Formats a number while it is typed, with the grouping of `region`: `0664 123`.
    func formatted(asTyped text: String, in region: Region?) -> String
}
