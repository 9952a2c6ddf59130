import Foundation
package import KithModel

/// How far a replica has read each feed: the content of a ``SyncToken``.
///
/// A device sends it back with its next request and never looks inside. A token that cannot be read counts as no token,
/// so the format may change.
package struct ReadingPlace: Hashable, Sendable {
    /// How far one feed has been read.
    package enum Position: Hashable, Sendable {
        /// Read up to this sequence; the changes after it follow.
        case changes(after: Int64)
        /// Read in pages up to this id. The feed was at the sequence `since` when the pages began.
        case pages(after: RecordID<Never>, since: Int64)
        /// The replica has records of the feed, and has to read it from the beginning.
        case reread
    }

    /// The epoch in which the sequences are valid.
    package var epoch: String
    package var feeds: [FeedID: Position]
    /// Whether the answer that brought this place was incomplete, so that the next answer continues it.
    package var isContinued: Bool

    package init(epoch: String, feeds: [FeedID: Position] = [:], isContinued: Bool = false) {
        self.epoch = epoch
        self.feeds = feeds
        self.isContinued = isContinued
    }
}

extension ReadingPlace {
    /// The first byte of a token.
    private enum Version {
        static let complete: UInt8 = 1
        static let continued: UInt8 = 2
    }

    /// Whether `token` is from an incomplete answer. Reads only its first byte.
    package static func isContinued(_ token: SyncToken) -> Bool {
        Data(base64URL: String(token.rawValue.prefix(4)))?.first == Version.continued
    }

    /// The token: sixteen bytes and a few more for each feed, in Base64url.
    package var token: SyncToken {
        var bytes = [isContinued ? Version.continued : Version.complete]
        Self.write(Int64(epoch.utf8.count), to: &bytes)
        bytes += epoch.utf8
        for (feed, position) in feeds.sorted(by: { $0.key < $1.key }) {
            bytes += feed.uuid.data
            switch position {
            case .changes(let after):
                bytes.append(0)
                Self.write(after, to: &bytes)
            case .pages(let after, let since):
                bytes.append(1)
                bytes += after.uuid.data
                Self.write(since, to: &bytes)
            case .reread:
                bytes.append(2)
            }
        }
        return SyncToken(rawValue: Data(bytes).base64URL)
    }

    /// Reads `token`; nil if it cannot be read.
    package init?(_ token: SyncToken) {
        guard let data = Data(base64URL: token.rawValue) else { return nil }
        var rest = [UInt8](data)[...]
        guard let version = rest.popFirst(), version == Version.complete || version == Version.continued,
            let count = Self.read(&rest), count <= rest.count
        else { return nil }
        self.init(
            epoch: String(decoding: rest.prefix(Int(count)), as: UTF8.self), isContinued: version == Version.continued)
        rest = rest.dropFirst(Int(count))
        while !rest.isEmpty {
            guard let feed = Self.id(&rest), let kind = rest.popFirst() else { return nil }
            switch kind {
            case 0:
                guard let after = Self.read(&rest) else { return nil }
                feeds[RecordID(feed)] = .changes(after: after)
            case 1:
                guard let after = Self.id(&rest), let since = Self.read(&rest) else { return nil }
                feeds[RecordID(feed)] = .pages(after: RecordID(after), since: since)
            case 2: feeds[RecordID(feed)] = .reread
            default: return nil
            }
        }
    }

    private static func id(_ rest: inout ArraySlice<UInt8>) -> UUID? {
        defer { rest = rest.dropFirst(16) }
        return UUID(bytes: rest.prefix(16))
    }

    /// Writes seven bits per byte, the lowest first. The eighth bit says that more bytes follow.
    private static func write(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func read(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return Int64(number) }
        }
        return nil
    }
}
