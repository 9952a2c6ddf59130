package import HTTPTypes

extension HTTPFields {
    /// The value of a field, as the subscript returns it: several fields with the same name are joined; nil if there is
    /// none. For the usual single field, this is several times as fast.
    package func value(of name: HTTPField.Name) -> String? {
        guard let first = firstIndex(where: { $0.name == name }) else { return nil }
        let isRepeated = self[(first + 1)...].contains { $0.name == name }
        return isRepeated ? self[name] : self[first].value
    }
}
