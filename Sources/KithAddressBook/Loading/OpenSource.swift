import Foundation
import Kith
import KithModel

/// A source of the address book, with its content at the last reading.
struct OpenSource: Sendable {
    /// A number that no other source with this id has had.
    let number: Int
    var status: SourceStatus
    var source: any AddressBookSource
    /// The cards; nil before the first reading.
    private(set) var cards: [IndexedCard]?
    /// The region that was used for numbers without a country code.
    private(set) var region: Region?
    var watcher: Task<Void, Never>?
    /// The number of the last waiting edit that is not shown yet; nil if there is none. It is read from the device's
    /// copy before the server is asked.
    var unshownEdit: Int?

    init(_ number: Int, _ status: SourceStatus, _ source: any AddressBookSource) {
        (self.number, self.status, self.source) = (number, status, source)
    }

    var id: SourceID { status.id }

    /// Whether the address book stores it. The app adds the others at each start.
    var isStored: Bool { status.location != nil || source is UnopenedSource }

    /// Reads the source, and files its cards. At the first reading, and when an edit waits, the device's copy is read
    /// instead, if there is one.
    @concurrent func read(by reader: PhoneReader, _ progress: LoadProgress) async -> SourceReading {
        var reading = SourceReading(source: self, region: reader.region)
        do {
            if cards == nil || unshownEdit != nil, let cached = try? await source.cached() {
                (reading.contents, reading.result) = (cached, .recalled)
            } else {
                (reading.contents, reading.result) = (try await source.load(progress), .read)
            }
        } catch {
            let known = error as? KithError
            reading.result = known?.retryAfter == nil ? .failed : .postponed
            reading.error =
                known ?? KithError(.unreadable, "“\(status.name)” cannot be read: \(error).", cause: error)
        }
        if let entries = reading.contents?.entries {
            let before = region == reader.region ? cards ?? [] : []
            reading.cards = await IndexedCard.indexed(entries, of: id, before: before, by: reader)
        }
        return reading
    }

    /// Stores the result of a reading of this source.
    mutating func take(_ reading: SourceReading, at now: Timestamp) {
        if let cards = reading.cards {
            (self.cards, region) = (cards, reading.region)
            status.cards = cards.count
        }
        if let contents = reading.contents {
            (status.faults, status.unreadableFiles) = (contents.faults, contents.unreadableFiles)
            (status.access, status.unsent) = (contents.access, contents.unsent)
            // An edit that was made meanwhile is shown by the next reading.
            if unshownEdit == reading.source.unshownEdit { unshownEdit = nil }
        }
        switch reading.result {
        case .read: (status.state, status.lastLoaded) = (.loaded, now.date)
        case .failed, .postponed:
            status.state = reading.error.map { .failed(code: $0.code, sentence: $0.sentence) } ?? status.state
        case .recalled, .slow, nil: break
        }
    }
}
