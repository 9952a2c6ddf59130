import Kith
import KithModel

extension AddressBook {
    /// What became of a source in a load.
    struct Finding: Sendable {
        let source: OpenSource
        var contents: SourceContents?
        var cards: [FiledCard]?
        /// Where the numbers of the cards are dialled.
        var region: Region?
        /// Nil if it was not to be read.
        var ending: AddressBookMachine.Ending?
        var error: KithError?

        /// The same with its numbers as dialled in the reader's region, each read once more from what was written.
        func refiled(by reader: PhoneReader) async -> Finding {
            guard let cards, region != reader.region else { return self }
            var finding = self
            finding.region = reader.region
            let refiled = await FiledCard.filed(cards.map(\.entry), of: source.id, before: [], by: reader)
            await FiledCard.detail(refiled)
            finding.cards = refiled
            return finding
        }
    }
}
