import Foundation

/// The folded words of all contacts in one block of memory, which is searched at memory speed.
///
/// Each word has a space before it and none within it, so no match spans two contacts.
struct SearchText: Sendable {
    ///
    /// It ends with a zero, so that the C library can search it, which is ten times as fast.
    private var bytes: [UInt8] = [0]
    /// Where each contact's words begin.
    private var starts: [Int] = []

    /// What is appended from here on is the next contact's.
    mutating func beginContact() { starts.append(bytes.count - 1) }

    mutating func append(_ folded: some Collection<UInt8>) {
        bytes.removeLast()
        bytes.append(contentsOf: folded)
        bytes.append(0)
    }

    /// Adds the places of the contacts in which these letters stand in a row.
    func insertPlaces(of letters: [UInt8], into places: inout PlaceSet) {
        guard !letters.isEmpty else { return }
        let sought = letters.map { CChar(bitPattern: $0) } + [0]
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            var offset = 0
            while let found = strstr(start + offset, sought) {
                let place = place(at: start.distance(to: found))
                places.insert(CollectionOfOne(place))
                // One contact need not be found twice.
                guard place + 1 < starts.count else { return }
                offset = starts[place + 1]
            }
        }
    }

    /// The contact of a position: the last one that begins there or before.
    private func place(at offset: Int) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
