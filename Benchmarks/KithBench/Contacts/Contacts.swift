import Foundation

/// Reading cards and telephone numbers, beside what others read them with; in the processor's time.
func measureContacts(in folder: URL) throws {
    let reading = Table("what", "Kith", "Evolution", "vobject", "floor: its lines")
    for hasPhotos in [true, false] {
        try CardReading(CardFile(hasPhotos: hasPhotos), megabytes: 100, folder: folder).measure(into: reading)
    }
    try StreamingMemory.measure(into: Table("what", "Kith", "largest card", "ratio"))
    try EvolutionDifferences(folder: folder).show()
    NumberReading().measure(into: Table("what", "Kith", "floor: libphonenumber’s parse", "ratio"))
}
