import Foundation
import KithModel

/// The form with which somebody deletes their account.
package struct DeletionForm: Hashable, Sendable {
    /// Why a form does not delete the account.
    package enum Mistake: Hashable, Sendable {
        /// The word of the page was not typed.
        case wrongWord
        /// Nothing was chosen for the lists with other people, or one of them has no editor to whom it can go.
        case undecided
    }

    /// What becomes of the lists in which other people are; nil if nothing was chosen.
    let others: AccountDeletion.Rest?
    /// The word that was typed, in small letters.
    let word: String

    /// Reads a form.
    package init(_ fields: FormFields) {
        others = fields["lists"].flatMap { AccountDeletion.Rest(rawValue: $0) }
        word = (fields["word"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    /// Whether the word that the page asks for was typed, in any of its languages.
    package var isConfirmed: Bool {
        PageLanguage.allCases.contains { PageTexts.of($0).text("account.word").lowercased() == word }
    }

    /// The deletion as `POST /v1/account/deletion` has it.
    var deletion: AccountDeletion { AccountDeletion(others: others) }
}
