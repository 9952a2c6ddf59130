import KithModel

// So that a test can write any field value as the JSON that it is.

extension FieldValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByFloatLiteral {
    init(arrayLiteral elements: FieldValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, FieldValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
    init(floatLiteral value: Double) { self = .number(value) }
}
