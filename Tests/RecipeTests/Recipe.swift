import KithModel

/// A kind of record that Kith does not have: a recipe in a list. This file is its part of the model.
enum Recipe {
    static let collection = RecordCollection(rawValue: "recipe")

    static let schema = Schema(
        collection, in: .list, creator: .editor, remover: .editor,
        fields: [
            Field("title", .text(1...200), isRequired: true),
            Field("servings", .sum(1...1_000_000), standard: 4),
            Field("isVegetarian", .flag, standard: false),
            Field("course", .choice(["starter", "main", "dessert"]), standard: "main"),
            Field("position", .indexKey, isRequired: true),
            Field("steps", .text(0...5_000)),
            Field("cook", .identifier, writer: .server),
        ])
}
