package import Foundation

// The parts of an answer, read by ``JSONReader``. Each accepts what its `Decodable` accepts, except for what the reader
// refuses. Unknown names are skipped, because a newer server may send more.

extension SyncAnswer {
    /// Reads an answer in JSON.
    ///
    /// - Throws: `DecodingError` if it cannot be read.
    package init(json data: Data) throws {
        if let answer = JSONReader.read(data, { try SyncAnswer(&$0) }) {
            self = answer
        } else {
            self = try JSONDecoder().decode(SyncAnswer.self, from: data)
        }
    }

    private init(_ reader: inout JSONReader) throws {
        var (account, time, epoch): (AccountID?, Int64?, String?)
        var (device, acknowledged): (DeviceStanding?, Acknowledgement?)
        var (outcomes, records): ([MutationOutcome]?, [FeedRecord]?)
        var (feeds, lost): ([FeedChanges]?, [FeedID]?)
        var (token, more, kind): (String?, Bool?, String?)
        try reader.object { reader, name in
            switch name {
            case "account": try reader.once(&account) { try $0.id() }
            case "time": try reader.once(&time) { try $0.integer() }
            case "epoch": try reader.once(&epoch) { try $0.text() }
            case "device":
                try reader.once(&device) { try DeviceStanding(rawValue: $0.text()).orRefuse() }
            case "acknowledged": try reader.once(&acknowledged) { try Acknowledgement(&$0) }
            case "outcomes": try reader.once(&outcomes) { try $0.all { try MutationOutcome(&$0) } }
            case "records": try reader.once(&records) { try $0.all { try FeedRecord(&$0) } }
            case "feeds": try reader.once(&feeds) { try $0.all { try FeedChanges(&$0) } }
            case "lost": try reader.once(&lost) { try $0.all { try $0.id() } }
            case "token": try reader.once(&token) { try $0.text() }
            case "more": try reader.once(&more) { try $0.flag() }
            case "kind": try reader.once(&kind) { try $0.text() }
            default: try reader.skip()
            }
        }
        self.init(
            account: try account.orRefuse(), time: Timestamp(milliseconds: try time.orRefuse()),
            epoch: try epoch.orRefuse(), device: try device.orRefuse(), acknowledged: try acknowledged.orRefuse(),
            outcomes: try outcomes.orRefuse(), records: try records.orRefuse(), feeds: try feeds.orRefuse(),
            lost: try lost.orRefuse(), token: SyncToken(rawValue: try token.orRefuse()), more: try more.orRefuse(),
            kind: kind)
    }
}

extension MutationOutcome {
    fileprivate init(_ reader: inout JSONReader) throws {
        var (number, result): (Int64?, Result?)
        var (code, detail): (String?, String?)
        try reader.object { reader, name in
            switch name {
            case "number": try reader.once(&number) { try $0.integer() }
            case "result": try reader.once(&result) { try Result(rawValue: $0.text()).orRefuse() }
            case "code": try reader.once(&code) { try $0.text() }
            case "detail": try reader.once(&detail) { try $0.text() }
            default: try reader.skip()
            }
        }
        self.init(
            number: try number.orRefuse(), result: try result.orRefuse(),
            code: code.map { RejectionCode(rawValue: $0) }, detail: detail)
    }
}

extension FeedRecord {
    fileprivate init(_ reader: inout JSONReader) throws {
        var (feed, change): (FeedID?, RecordChange?)
        try reader.object { reader, name in
            switch name {
            case "feed": try reader.once(&feed) { try $0.id() }
            case "change": try reader.once(&change) { try RecordChange(&$0) }
            default: try reader.skip()
            }
        }
        self.init(feed: try feed.orRefuse(), change: try change.orRefuse())
    }
}

extension RecordChange {
    fileprivate init(_ reader: inout JSONReader) throws {
        var (collection, id): (String?, RecordID<Never>?)
        var (sequence, modified, fields): (Int64?, Int64?, Fields?)
        try reader.object { reader, name in
            switch name {
            case "collection": try reader.once(&collection) { try $0.text() }
            case "id": try reader.once(&id) { try $0.id() }
            case "sequence": try reader.once(&sequence) { try $0.integer() }
            case "modified": try reader.once(&modified) { try $0.integer() }
            case "fields": try reader.once(&fields) { try $0.fields() }
            default: try reader.skip()
            }
        }
        self.init(
            collection: RecordCollection(rawValue: try collection.orRefuse()), id: try id.orRefuse(),
            sequence: try sequence.orRefuse(), modified: Timestamp(milliseconds: try modified.orRefuse()),
            fields: fields)
    }
}

extension FeedChanges {
    fileprivate init(_ reader: inout JSONReader) throws {
        var (feed, changes): (FeedID?, [RecordChange]?)
        var (page, isComplete, digest): (RecordPage?, Bool?, FeedDigest?)
        try reader.object { reader, name in
            switch name {
            case "feed": try reader.once(&feed) { try $0.id() }
            case "changes": try reader.once(&changes) { try $0.all { try RecordChange(&$0) } }
            case "page": try reader.once(&page) { try RecordPage(&$0) }
            case "isComplete": try reader.once(&isComplete) { try $0.flag() }
            case "digest": try reader.once(&digest) { try FeedDigest($0.text()).orRefuse() }
            default: try reader.skip()
            }
        }
        self.init(
            feed: try feed.orRefuse(), changes: try changes.orRefuse(), page: page,
            isComplete: try isComplete.orRefuse(), digest: digest)
    }
}

extension RecordPage {
    fileprivate init(_ reader: inout JSONReader) throws {
        var (after, through): (RecordID<Never>?, RecordID<Never>?)
        var columns: [Columns]?
        try reader.object { reader, name in
            switch name {
            case "after": try reader.once(&after) { try $0.id() }
            case "through": try reader.once(&through) { try $0.id() }
            case "columns": try reader.once(&columns) { try $0.all { try Columns(&$0) } }
            default: try reader.skip()
            }
        }
        self.init(after: after, through: through, columns: try columns.orRefuse())
    }
}

extension RecordPage.Columns {
    fileprivate init(_ reader: inout JSONReader) throws {
        var (collection, ids): (String?, Data?)
        var (sequences, modified): ([Int64]?, [Timestamp]?)
        var fields: [String: RecordPage.Column]?
        try reader.object { reader, name in
            switch name {
            case "collection": try reader.once(&collection) { try $0.text() }
            case "ids": try reader.once(&ids) { try Data(base64Encoded: $0.text()).orRefuse() }
            case "sequences": try reader.once(&sequences) { try $0.all { try $0.integer() } }
            case "modified":
                try reader.once(&modified) { try $0.all { Timestamp(milliseconds: try $0.integer()) } }
            case "fields":
                try reader.once(&fields) { reader in
                    var columns: [String: RecordPage.Column] = [:]
                    try reader.object { reader, name in
                        let column = try RecordPage.Column(&reader)
                        guard columns.updateValue(column, forKey: name) == nil else { throw JSONReader.Unreadable() }
                    }
                    return columns
                }
            default: try reader.skip()
            }
        }
        self.init(
            collection: RecordCollection(rawValue: try collection.orRefuse()), ids: try ids.orRefuse(),
            sequences: try sequences.orRefuse(), modified: try modified.orRefuse(), fields: try fields.orRefuse())
    }
}

extension RecordPage.Column {
    /// Reads values of one type. Values of several types are refused.
    fileprivate init(_ reader: inout JSONReader) throws {
        var kind: JSONReader.NextValue?
        var (texts, integers, flags): ([String?], [Int64?], [Bool?]) = ([], [], [])
        var count = 0
        try reader.array { reader in
            let next = reader.next
            if next != .null {
                guard next == kind ?? next else { throw JSONReader.Unreadable() }
                kind = next
            }
            switch next {
            case .text: texts.fill(to: count, with: try reader.text())
            case .number: integers.fill(to: count, with: try reader.integer())
            case .flag: flags.fill(to: count, with: try reader.flag())
            case .null: guard reader.takeNull() else { throw JSONReader.Unreadable() }
            case .other: throw JSONReader.Unreadable()
            }
            count += 1
        }
        switch kind {
        case .number: self = .integers(integers.filled(to: count))
        case .flag: self = .flags(flags.filled(to: count))
        default: self = .texts(texts.filled(to: count))
        }
    }
}

extension Array {
    /// Appends a value at `index`, after as many nulls as are missing before it.
    fileprivate mutating func fill<Value>(to index: Int, with value: Value) where Element == Value? {
        while count < index { append(nil) }
        append(value)
    }

    /// The array with nulls at its end, up to `count` elements.
    fileprivate func filled<Value>(to count: Int) -> Self where Element == Value? {
        self + Array(repeating: nil, count: count - self.count)
    }
}
