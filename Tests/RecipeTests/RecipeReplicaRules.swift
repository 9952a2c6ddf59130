import KithModel

import Kith

/// The recipe's part of the device.
struct RecipeReplicaRules: ReplicaRules {
    let schema = Recipe.schema
    let isMany = true

    func title(of fields: Fields) -> String? { fields["title"]?.text }
}
