import KithModel

import KithServer

/// The recipe's part of the server: it notes who has created a recipe, and refuses desserts for more than a thousand, and
/// recipes of bots.
struct RecipeRules: CollectionRules {
    let schema = Recipe.schema

    /// What is read for recipes.
    struct Needs: LedgerFacts {
        /// Whether the caller may make a recipe.
        var asksForBots = false
    }

    /// What is known of recipes besides their records.
    struct Facts: LedgerFacts {
        /// Whether the caller is a bot.
        var isBot = false
    }

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        if mutation.seen == 0 { needs[Needs.self].asksForBots = true }
    }

    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws {
        guard let account, needs[Needs.self].asksForBots else { return }
        let bots = try transaction.query("SELECT 1 FROM account WHERE id = ? AND is_bot = 1", [.id(account)])
        known[Facts.self].isBot = !bots.isEmpty
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        if edit.isNew, ledger[Facts.self].isBot { throw .init(.forbidden, "A bot cannot cook.") }
    }

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
