import Foundation

/// Measures the processor time to read cards and telephone numbers, for Kith and for other readers.
func measureContacts(in folder: URL) async throws {
    let reading = Table("what", "Kith", "Evolution", "vobject", "floor: its lines")
    for hasPhotos in [true, false] {
        try CardReading(CardFile(hasPhotos: hasPhotos), megabytes: 100, folder: folder).measure(into: reading)
    }
    try StreamingMemory.measure(into: Table("what", "Kith", "largest card", "ratio"))
    try EvolutionDifferences(folder: folder).show()
    NumberReading().measure(into: Table("what", "Kith", "floor: libphonenumber’s parse", "ratio"))
    let contacts = 100_000
    let loading = Table("what", "Kith", "floor: its bytes", "ratio")
    let book = try await BookLoading(folder: folder).measureFile(contacts, into: loading)
    try await BookLoading(folder: folder).measureFolder(10_000, into: loading)
    try await BookFinding(in: book, of: CardFile(hasPhotos: false), count: contacts)
        .measure(into: Table("what", "median", "worst", "the names without an index"))
}
