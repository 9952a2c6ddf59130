import Foundation
import KithModel

/// The parts of a round's answer that the next request needs, found without reading the rest.
struct AnswerGlance {
    let acknowledged: Acknowledgement
    let token: SyncToken
    let hasMore: Bool

    /// Reads the body of a minimal answer that is not compressed; nil if a mutation was not applied, or a part is
    /// missing.
    init?(_ body: [UInt8]) {
        let found = body.withUnsafeBytes { bytes -> (Acknowledgement, SyncToken, Bool)? in
            // The records are in between.
            let (first, last) = (bytes.prefix(1_000), bytes.suffix(1_000))
            guard Self.place(after: "\"device\":\"recognised\"", in: first) != nil,
                Self.place(after: "\"outcomes\":", in: first) == nil,
                let number = Self.place(after: "\"acknowledged\":{\"number\":", in: first),
                let hash = Self.place(after: "\"hash\":\"", in: first),
                let token = Self.place(after: "\"token\":\"", in: last)
            else { return nil }
            return (
                Acknowledgement(
                    number: bytes[number...].prefix { $0 >= 0x30 && $0 <= 0x39 }.reduce(0) {
                        $0 * 10 + Int64($1 - 0x30)
                    },
                    hash: Self.text(at: hash, in: bytes)),
                SyncToken(rawValue: Self.text(at: token, in: bytes)),
                Self.place(after: "\"more\":true", in: last) != nil
            )
        }
        guard let found else { return nil }
        (acknowledged, token, hasMore) = found
    }

    private static func text(at place: Int, in bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes[place...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// The place after the first occurrence of a text.
    private static func place(after mark: StaticString, in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let count = mark.utf8CodeUnitCount
        guard let start = bytes.base.baseAddress else { return nil }
        let end = start + bytes.endIndex
        var place = start + bytes.startIndex
        while end - place >= count, let next = memchr(place, Int32(mark.utf8Start[0]), end - place - count + 1) {
            if memcmp(next, mark.utf8Start, count) == 0 { return UnsafeRawPointer(next) - start + count }
            place = UnsafeRawPointer(next) + 1
        }
        return nil
    }
}
