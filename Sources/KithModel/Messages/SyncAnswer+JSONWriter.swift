package import Foundation

extension SyncAnswer {
    /// The answer in JSON, as `Codable` reads it.
    package var json: Data {
        var json = JSONWriter()
        json.object { json in
            json.member("account") { $0.id(account) }
            json.member("time") { $0.integer(time.milliseconds) }
            json.member("epoch") { $0.text(epoch) }
            json.member("device") { $0.text(device.rawValue) }
            json.member("acknowledged") { $0.acknowledgement(acknowledged) }
            json.member("outcomes") { $0.array(outcomes) { $0.outcome($1) } }
            json.member("records") { json in
                json.array(records) { json, record in
                    json.object { json in
                        json.member("feed") { $0.id(record.feed) }
                        json.member("change") { $0.change(record.change) }
                    }
                }
            }
            json.member("feeds") { $0.array(feeds) { $0.changes($1) } }
            json.member("lost") { $0.array(lost) { $0.id($1) } }
            json.member("token") { $0.text(token.rawValue) }
            json.member("more") { $0.flag(more) }
            if let kind { json.member("kind") { $0.text(kind) } }
        }
        return Data(json.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func outcome(_ outcome: MutationOutcome) {
        object { json in
            json.member("number") { $0.integer(outcome.number) }
            json.member("result") { $0.text(outcome.result.rawValue) }
            if let code = outcome.code { json.member("code") { $0.text(code.rawValue) } }
            if let detail = outcome.detail { json.member("detail") { $0.text(detail) } }
        }
    }

    fileprivate mutating func changes(_ feed: FeedChanges) {
        object { json in
            json.member("feed") { $0.id(feed.feed) }
            json.member("changes") { $0.array(feed.changes) { $0.change($1) } }
            if let page = feed.page { json.member("page") { $0.page(page) } }
            json.member("isComplete") { $0.flag(feed.isComplete) }
            if let digest = feed.digest { json.member("digest") { $0.text(digest.description) } }
        }
    }

    fileprivate mutating func change(_ change: RecordChange) {
        object { json in
            json.member("collection") { $0.text(change.collection.rawValue) }
            json.member("id") { $0.id(change.id) }
            json.member("sequence") { $0.integer(change.sequence) }
            json.member("modified") { $0.integer(change.modified.milliseconds) }
            if let fields = change.fields { json.member("fields") { $0.fields(fields) } }
        }
    }

    private mutating func page(_ page: RecordPage) {
        object { json in
            if let after = page.after { json.member("after") { $0.id(after) } }
            if let through = page.through { json.member("through") { $0.id(through) } }
            json.member("columns") { json in
                json.array(page.columns) { json, columns in
                    json.object { json in
                        json.member("collection") { $0.text(columns.collection.rawValue) }
                        json.member("ids") { $0.text(columns.ids.base64EncodedString()) }
                        json.member("sequences") { $0.array(columns.sequences) { $0.integer($1) } }
                        json.member("modified") { $0.array(columns.modified) { $0.integer($1.milliseconds) } }
                        json.member("fields") { json in
                            json.object { json in
                                for (name, column) in columns.fields.sorted(by: { $0.key < $1.key }) {
                                    json.member(named: name) { $0.column(column) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private mutating func column(_ column: RecordPage.Column) {
        switch column {
        case .texts(let texts): array(texts) { json, text in text.map { json.text($0) } ?? json.null() }
        case .integers(let integers):
            array(integers) { json, integer in integer.map { json.integer($0) } ?? json.null() }
        case .flags(let flags): array(flags) { json, flag in flag.map { json.flag($0) } ?? json.null() }
        case .values(let values): array(values) { $0.value($1) }
        case .json(let values): array(of: values)
        }
    }
}
