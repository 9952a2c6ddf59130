/// A source of a record's values, such as the fields by name or a row of a database.
///
/// A type that is read often names each of its fields once, in an initializer with a reader, and always in the same order.
/// Then a row can be read by position, without a dictionary.
package protocol FieldReader {
    /// The text of this field; nil if there is none.
    mutating func text(_ name: String) -> String?

    /// The time of this field; nil if there is none.
    mutating func time(_ name: String) -> Timestamp?

    /// The flag of this field; false if there is none.
    mutating func flag(_ name: String) -> Bool
}
