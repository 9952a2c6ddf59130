import Foundation
import KithModel

/// The form with which somebody deletes their account.
package struct DeletionForm: Hashable, Sendable {
    /// What becomes of the lists in which other people are; nil if nothing was chosen.
    let others: AccountDeletion.Rest?
    private let word: String

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
