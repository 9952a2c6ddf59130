import KithModel

/// The items with which servers are filled.
enum SampleItem {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    static func title(_ index: Int) -> String { "Oat milk \(index)" }

    /// An index key: four numbers of one digit each.
    static func position(_ index: Int) -> String {
        var (rest, key) = (index, "")
        for _ in 0..<4 {
            key = "a\(digits[rest % 62])" + key
            rest /= 62
        }
        return key
    }

    static let comment = "of the usual brand, if they have it, otherwise another"

    static func fields(_ index: Int) -> Fields {
        ["title": .text(title(index)), "position": .text(position(index)), "comment": .text(comment)]
    }
}
