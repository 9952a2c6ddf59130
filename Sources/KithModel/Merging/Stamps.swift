/// The stamps of a record's fields. Most fields of a record are set together, so they share one stamp; the others have
/// their own stamps.
package struct Stamps: Hashable, Sendable {
    /// The stamp of the fields without their own.
    package private(set) var common: Stamp
    /// The stamps that differ from the common one, by field.
    package private(set) var own: [String: Stamp]

    /// Creates stamps from the common one and those that differ from it.
    package init(common: Stamp, own: [String: Stamp] = [:]) {
        self.common = common
        self.own = own
    }

    /// The stamp of `field`.
    package subscript(field: String) -> Stamp {
        get { own[field] ?? common }
        set { own[field] = newValue == common ? nil : newValue }
    }
}
