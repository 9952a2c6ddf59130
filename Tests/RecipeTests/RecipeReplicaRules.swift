import KithModel

import Kith

/// The recipe's part of the device.
struct RecipeReplicaRules: ReplicaRules {
    let schema = Recipe.schema
    let content = StoreContent.nothing
    let isMany = true

    func title(of fields: Fields) -> String? { fields["title"]?.text }
}
