import Kith
import KithModel

/// The result of reading a source in a load.
struct SourceReading: Sendable {
    let source: OpenSource
    var contents: SourceContents?
    var cards: [IndexedCard]?
    /// The region that was used for the cards' numbers without a country code.
    var region: Region?
    /// Nil if the source was not due.
    var result: AddressBookMachine.ReadResult?
    var error: KithError?

    /// This reading with the cards' numbers parsed again, if the reader's region is different.
    func reindexed(by reader: PhoneReader) async -> SourceReading {
        guard let cards, region != reader.region else { return self }
        var reading = self
        reading.region = reader.region
        let reindexed = await IndexedCard.indexed(cards.map(\.entry), of: source.id, before: [], by: reader)
        await IndexedCard.detail(reindexed)
        reading.cards = reindexed
        return reading
    }
}
