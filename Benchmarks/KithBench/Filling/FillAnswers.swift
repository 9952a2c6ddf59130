import Foundation
import Kith
import KithModel

/// The answers of a server that fill an empty replica, each in a file, so that only the device is measured.
struct FillAnswers: Codable {
    let account: AccountID
    /// The token of the request for each answer; nil for the first.
    let tokens: [SyncToken?]
    /// The number of items that the replica has after each answer.
    let items: [Int]

    private static let name = "answers.json"

    /// Reads all records of the server's account, and writes the answers to files in `folder`.
    static func prepare(from server: LocalServer, in folder: URL) async throws -> FillAnswers {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var (tokens, items) = ([SyncToken?](), [Int]())
        var next: SyncToken?
        var hasMore = true
        while hasMore {
            let request = SyncRequest(
                account: server.account, device: DeviceID(UUID()), acknowledged: .none, sent: 0, mutations: [],
                token: next)
            let data = try await server.answer(request)
            try data.write(to: file(tokens.count, in: folder))
            let answer = try SyncAnswer(json: data)
            tokens.append(next)
            items.append((items.last ?? 0) + PlainItem.all(in: answer).count)
            (next, hasMore) = (answer.token, answer.more)
        }
        let answers = FillAnswers(account: server.account, tokens: tokens, items: items)
        try JSONEncoder().encode(answers).write(to: folder.appending(path: name))
        return answers
    }

    /// Reads what was prepared in `folder`.
    init(in folder: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appending(path: Self.name)))
    }

    private init(account: AccountID, tokens: [SyncToken?], items: [Int]) {
        (self.account, self.tokens, self.items) = (account, tokens, items)
    }

    /// A replica of the account.
    func device(at file: URL, postsNotifications: Bool = false) throws -> Replica {
        let replica = try Replica(.file(file), postsNotifications: postsNotifications)
        if try replica.readNow({ $0.account.id }) == nil {
            try replica.writeNow { [account] in try $0.adopt(account) }
        }
        return replica
    }

    /// The place of the answer to a request.
    func place(of request: SyncRequest) -> Int? { tokens.firstIndex(of: request.token) }

    static func file(_ place: Int, in folder: URL) -> URL { folder.appending(path: "answer-\(place).json") }
}
