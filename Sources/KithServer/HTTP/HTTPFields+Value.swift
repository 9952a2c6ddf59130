package import HTTPTypes

extension HTTPFields {
    /// The value of a field, as the subscript returns it: several fields with the same name are joined; nil if there is
    /// none. For the usual single field, this is several times as fast.
    package func value(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}
