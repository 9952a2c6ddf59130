import Foundation
import KithModel

/// The folded words of all contacts in one block of memory, for searches within words.
///
/// A space precedes each word and no word contains one, so no match spans two contacts.
struct SearchText: Sendable {
    /// The words. A zero byte ends them, so that `strstr` can search them, which is ten times as fast as a loop in
    /// Swift.
    private var bytes: [UInt8] = [0]
    /// The offset of each contact's words.
    private var starts: [Int] = []

    /// Begins the next contact: text that is appended from now on belongs to it.
    mutating func beginContact() { starts.append(bytes.count - 1) }

    mutating func append(_ folded: some Collection<UInt8>) {
        bytes.removeLast()
        bytes.append(contentsOf: folded)
        bytes.append(0)
    }

    /// Adds the places of the contacts whose words contain these letters.
    func insertPlaces(of letters: [UInt8], into places: inout PlaceSet) {
        guard !letters.isEmpty else { return }
        let sought = letters.map { CChar(bitPattern: $0) } + [0]
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            var offset = 0
            while let found = strstr(start + offset, sought) {
                let place = place(at: start.distance(to: found))
                places.insert(CollectionOfOne(place))
                // Skip the rest of this contact.
                guard place + 1 < starts.count else { return }
                offset = starts[place + 1]
            }
        }
    }

    /// The place of the contact whose words contain this offset.
    private func place(at offset: Int) -> Int { starts.partitionIndex { $0 > offset } - 1 }
}
