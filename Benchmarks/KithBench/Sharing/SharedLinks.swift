import Foundation
import KithModel
import KithServer

/// The links of people in two programmes: one shows its page, the other leads to a page of the operator.
struct SharedLinks: Sendable {
    /// The codes of the programme that shows its page.
    let pages: [String]
    /// The codes of the programme that leads elsewhere.
    let redirects: [String]

    /// The operator's page.
    static let destination = "https://tea.example.com/welcome"

    /// Makes `count` people with a link of each programme, in a new database.
    init(_ count: Int, in file: String) async throws {
        let database = try SQLiteDatabase(path: file)
        let now = Timestamp(.now)
        for landing in ["page", "redirect"] {
            let programme = """
                {"name":"\(landing)","title":{"en":"A week of tea, for you and for a friend"},
                "text":{"en":"Join with this link, and both of you get a week of tea.",
                "de":"Melde dich mit diesem Link an, und ihr bekommt beide eine Woche Tee."},
                "url":"\(Self.destination)","landing":"\(landing)"}
                """
            _ = try await ProgrammeService(database: database).create(Data(programme.utf8), at: now)
        }
        var random = SplitMix64(seed: 1)
        var codes: [[String]] = [[], []]
        for number in 0..<count {
            let account = try await SessionService(database: database, signals: .none).open(at: now).account
            let feed: FeedID = account.retyped()
            var mutations = [
                Mutation(
                    id: MutationID(.version7(time: now, using: &random)), number: 1, feed: feed,
                    collection: .profiles, record: Profile.id, seen: 0,
                    change: .set(["given": .text("Person \(number)")]))
            ]
            for (index, programme) in ["page", "redirect"].enumerated() {
                let code = ShareCode(random: random.next())
                codes[index].append(code.text)
                mutations.append(
                    Mutation(
                        id: MutationID(.version7(time: now, using: &random)), number: Int64(index + 2), feed: feed,
                        collection: .shareables, record: RecordID(.version7(time: now, using: &random)), seen: 0,
                        change: .set(["programme": .text(programme), "code": .text(code.text)])))
            }
            let request = SyncRequest(
                account: account, device: DeviceID(.version7(time: now, using: &random)), acknowledged: .none,
                sent: Int64(mutations.count), mutations: mutations, token: nil)
            let answer = try await SyncService(database: database).sync(request, as: account, at: now).answer
            precondition(answer.outcomes.isEmpty, "\(answer.outcomes)")
        }
        (pages, redirects) = (codes[0], codes[1])
    }

    /// The header lines of a browser, whose address the proxy adds. There are 65,536 networks.
    static func browser(_ visitor: Int) -> String {
        """
        User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36\r
        Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r
        Accept-Language: de-AT,de;q=0.9,en;q=0.8\r
        Accept-Encoding: gzip, deflate, br\r
        Sec-Fetch-Mode: navigate\r
        Sec-Fetch-Dest: document\r
        X-Forwarded-For: 100.\(visitor / 256 % 256).\(visitor % 256).7\r

        """
    }
}
