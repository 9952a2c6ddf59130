import Foundation
import KithModel

/// What the fuzzer does with bytes that come over the wire and are no text: answers with buckets, filters, and pictures.
enum BytesFuzzing {
    /// The first law that `bytes` break; nil if all hold.
    static func broken(by bytes: [UInt8]) -> String? {
        brokenAsAnswer(bytes) ?? brokenAsFilter(bytes) ?? brokenAsPicture(bytes)
    }

    private static func brokenAsAnswer(_ bytes: [UInt8]) -> String? {
        let answer = BucketAnswer(Data(bytes))
        // Behind others, as in a buffer that holds more.
        let behind = BucketAnswer((Data([7]) + bytes).dropFirst())
        if answer != behind { return "An answer is another one where it stands behind other bytes." }
        guard let answer else { return nil }
        if answer.data != Data(bytes) { return "What is read as an answer is written otherwise." }
        if BucketAnswer(Data(bytes.dropLast())) == answer { return "An answer is the same without its last byte." }
        return nil
    }

    private static func brokenAsFilter(_ bytes: [UInt8]) -> String? {
        let filter = TagFilter(Data(bytes))
        if filter != TagFilter((Data([7]) + bytes).dropFirst()) {
            return "A filter is another one where it stands behind other bytes."
        }
        guard let filter else { return nil }
        if filter.data != Data(bytes) { return "What is read as a filter is written otherwise." }
        if TagFilter(Data(bytes.dropLast())) != nil { return "A filter is also one without its last byte." }
        let tags = [0, 1, .max, 0x0123_4567_89AB_CDEF] as [UInt64]
        if !filter.present(of: tags).isSubset(of: tags) { return "A filter has found what nobody has asked for." }
        return nil
    }

    private static func brokenAsPicture(_ bytes: [UInt8]) -> String? {
        let type = PictureType(bytes)
        if PictureType(bytes.prefix(12)) != type { return "A picture's kind is not told by its first twelve bytes." }
        if PictureType(([7] + bytes).dropFirst()) != type {
            return "A picture's kind is another where it stands behind other bytes."
        }
        if PictureType(Data(bytes)) != type { return "A picture's kind depends on what holds its bytes." }
        if let type, PictureType(bytes + [0]) != type { return "A picture's kind changes with what follows." }
        return nil
    }
}
