package import KithModel

/// Fields that are set in stored records without decoding them: the values of the other fields are copied as they are
/// written.
package struct FieldReplacement {
    private let fields: Fields
    /// The fields in the order of their names, each as a record will contain it: `"name":value`. Nothing for a field
    /// that is removed.
    private let members: [(name: [UInt8], text: [UInt8])]

    /// Sets these fields; null removes a field. Their names need no escapes in JSON.
    package init(_ fields: Fields) {
        self.fields = fields
        members = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, value in
            let object = value == .null ? "" : StoredText.text([name: value])
            return (name: Array(name.utf8), text: Array(object.utf8.dropFirst().dropLast()))
        }
    }

    /// The stored text of a record's fields after these are set; nil if the record has them already.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the text cannot be read.
    package func applied(to text: String) throws -> String? {
        var utf8 = text
        do {
            return try utf8.withUTF8 { bytes in
                let new = try merged(with: bytes)
                return new.elementsEqual(bytes) ? nil : String(decoding: new, as: UTF8.self)
            }
        } catch is StoredMembers.Unreadable {
            return try appliedToDecoded(text)
        }
    }

    private func appliedToDecoded(_ text: String) throws -> String? {
        let old = try StoredText.fields(text)
        var new = old
        for (name, value) in fields { new[name] = value == .null ? nil : value }
        return new == old ? nil : StoredText.text(new)
    }

    /// Merges the members of a record and the new ones, both in the order of their names.
    ///
    /// - Throws: ``StoredMembers/Unreadable``, also for names with escapes or in another order.
    private func merged(with bytes: UnsafeBufferPointer<UInt8>) throws(StoredMembers.Unreadable) -> [UInt8] {
        var stored = try StoredMembers(bytes)
        var object = StoredObject(capacity: bytes.count + members.reduce(2) { $0 + $1.text.count + 1 })
        var rest = members[...]
        var last: Slice<UnsafeBufferPointer<UInt8>>?
        while let (range, value) = try stored.next() {
            let name = bytes[range]
            let isInOrder = last?.lexicographicallyPrecedes(name) ?? true
            guard isInOrder, !name.contains(UInt8(ascii: "\\")) else { throw StoredMembers.Unreadable() }
            last = name
            while let next = rest.first, next.name.lexicographicallyPrecedes(name) {
                object.append(next.text)
                rest.removeFirst()
            }
            if let next = rest.first, next.name.elementsEqual(name) {
                object.append(next.text)
                rest.removeFirst()
            } else {
                object.append(bytes[range.lowerBound - 1..<value.upperBound])
            }
        }
        for next in rest { object.append(next.text) }
        return object.closed
    }
}

/// An object in JSON that is put together from members.
private struct StoredObject {
    private var bytes = [UInt8(ascii: "{")]

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a member, unless it is empty.
    mutating func append(_ member: some Collection<UInt8>) {
        if member.isEmpty { return }
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: member)
    }

    /// The whole object.
    var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }
}
