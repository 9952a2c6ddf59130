import KithModel

import KithServer

/// The recipe's part of the server: it notes who has created a recipe, and refuses desserts for more than a thousand.
struct RecipeRules: CollectionRules {
    let schema = Recipe.schema

    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {
        if state.fields["course"]?.text == "dessert", state.fields["servings"]?.integer ?? 0 > 1_000 {
            throw .init(.invalid, "A dessert is for at most 1,000 people.")
        }
    }

    func complete(_ state: inout RecordState, after edit: JudgedMutation) {
        if edit.isNew { state.fields["cook"] = .text(edit.account.description) }
    }
}
