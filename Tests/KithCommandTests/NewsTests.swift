import Kith
import KithCommand
import KithDiscovery
import KithModel
import Testing

@Suite("News") struct NewsTests {
    let list = SharedList(
        id: ListID("018bcfe5-6800-7000-8000-000000000001")!, name: "Groceries", modified: Timestamp(milliseconds: 0))
    var item: ListItem {
        ListItem(
            id: ItemID("018bcfe5-6800-7000-8000-000000000002")!, listID: list.id, title: "Milk", count: 2,
            position: IndexKey.spread(1)[0], modified: Timestamp(milliseconds: 0))
    }

    @Test("reports a list when the list itself has changed, not with each of its items") func lists() {
        var teller = NewsPrinter()
        let state = News(.lists, origin: "state", added: [.init(list)], removed: [], modified: [])
        #expect(teller.lines(state) == ["+ list Groceries"])
        let touched = News(.lists, origin: "server", added: [], removed: [], modified: [.init(list)])
        #expect(teller.lines(touched) == [])
        var renamed = list
        renamed.name = "Food"
        let change = News(.lists, origin: "server", added: [], removed: [], modified: [.init(renamed)])
        #expect(teller.lines(change) == ["~ list Food  (from the server)"])
    }

    @Test("reports an item with its list and the origin of the change") func items() {
        var teller = NewsPrinter()
        _ = teller.lines(News(.lists, origin: "state", added: [.init(list)], removed: [], modified: []))
        let news = News(.items, origin: "device", added: [], removed: [.init(item)], modified: [])
        #expect(teller.lines(news) == ["- [ ] Milk ×2  in Groceries  (here)"])
        let other = News(.items, origin: News.elsewhere, added: [.init(item)], removed: [], modified: [])
        #expect(teller.lines(other) == ["+ [ ] Milk ×2  in Groceries  (by another kith here)"])
    }

    @Test("is not reported to people if nothing visible changed") func echo() {
        var teller = NewsPrinter()
        #expect(!teller.lines(News(.items, origin: "device", added: [.init(item)], removed: [], modified: [])).isEmpty)
        var confirmed = News.Subject(item)
        #expect(teller.lines(News(.items, origin: "device", added: [], removed: [], modified: [confirmed])).isEmpty)
        var commented = item
        commented.comment = "the blue one"
        confirmed = News.Subject(commented)
        #expect(!teller.lines(News(.items, origin: "server", added: [], removed: [], modified: [confirmed])).isEmpty)
    }

    @Test("about one list contains nothing about others") func one() {
        let news = News(.items, origin: "server", added: [.init(item)], removed: [], modified: [])
        #expect(!news.about(list.id).isEmpty)
        #expect(!news.about(nil).isEmpty)
        #expect(news.about(ListID("018bcfe5-6800-7000-8000-00000000000f")!).isEmpty)
    }

    @Test("reports every change of a person, each time") func people() {
        var teller = NewsPrinter()
        let ada = NetworkContact(
            id: AccountID("018bcfe5-6800-7000-8000-000000000003")!, ["given": "Ada", "asked": .integer(1)],
            modified: Timestamp(milliseconds: 0))
        let state = News(.contacts, origin: "state", added: [.init(ada, "Ada: asks you")], removed: [], modified: [])
        #expect(teller.lines(state) == ["+ Ada: asks you"])
        for words in ["Ada: connected", "Ada: a picture"] {
            let news = News(.contacts, origin: "server", added: [], removed: [], modified: [.init(ada, words)])
            #expect(teller.lines(news) == ["~ \(words)  (from the server)"])
            #expect(news.about(list.id).isEmpty)
        }
    }

    @Test("reports people who join or leave a list or change their role; not existing members, nor oneself")
    func members() throws {
        let (me, ben) = (uuid(4), uuid(5))
        let people = NewsPeople(names: [ben: "Ben Kramer"], me: me)
        func member(_ id: AccountID, _ role: Role) -> News.Subject {
            News.Subject(
                Member(id: id, listID: list.id, role: role, name: nil, modified: Timestamp(milliseconds: 0)), people)
        }
        func news(
            _ origin: String, added: [News.Subject] = [], modified: [News.Subject] = [], removed: [News.Subject] = []
        )
            -> News
        {
            News(.members, origin: origin, added: added, removed: removed, modified: modified)
        }
        var teller = NewsPrinter()
        _ = teller.lines(News(.lists, origin: "state", added: [.init(list)], removed: [], modified: []))
        #expect(teller.lines(news("state", added: [member(me, .owner)])).isEmpty)
        let joined = news("server", added: [member(ben, .editor)])
        #expect(teller.lines(joined) == ["+ Ben Kramer joined as editor  in Groceries  (from the server)"])
        #expect(try joined.about(list.id).shape.json["added"].elements.map { $0["name"] } == ["Ben Kramer"])
        let changed = news("server", modified: [member(ben, .viewer), member(me, .editor)])
        #expect(
            teller.lines(changed) == [
                "~ Ben Kramer is viewer now  in Groceries  (from the server)",
                "~ you are editor now  in Groceries  (from the server)",
            ])
        let gone = news("device", removed: [member(ben, .viewer)])
        #expect(teller.lines(gone) == ["- Ben Kramer is no longer there  in Groceries  (here)"])

        // I join a list: those who are there have not joined just now; whoever comes later has.
        var newcomer = NewsPrinter()
        _ = newcomer.lines(News(.lists, origin: "server", added: [.init(list)], removed: [], modified: []))
        #expect(newcomer.lines(news("server", added: [member(ben, .owner), member(me, .editor)])).isEmpty)
        #expect(newcomer.lines(news("server", added: [member(uuid(6), .viewer)])).count == 1)
    }

    @Test("reports which contacts use the service, each person once") func service() throws {
        let (ben, me) = (uuid(5), uuid(4))
        func match(_ text: String, _ account: AccountID) -> Discovery.Match {
            Discovery.Match(identity: Identity(text)!, account: account)
        }
        let phone = match("tel:+436645550101", ben)
        let email = match("mailto:ben@example.com", ben)
        let mine = match("tel:+436645550102", me)
        let news = News(added: [phone, email, mine], removed: [], origin: "server", [], me: me)
        var teller = NewsPrinter()
        #expect(teller.lines(news) == ["+ +436645550101 is on the service now  (from the server)"])
        #expect(try news.shape.json["collection"] == "match")
        #expect(try news.shape.json["added"].elements.map { $0["account"] } == [.text(ben.description)])
        #expect(teller.lines(News(added: [phone], removed: [], origin: "state", [], me: me)).isEmpty)
        // Somebody whose number is gone, and whose email is not, is there still.
        let changed = News(added: [email], removed: [phone], origin: "server", [], me: me)
        #expect(changed.removedWords.isEmpty)
        #expect(News(added: [], removed: [phone], origin: "server", [], me: me).removedWords.count == 1)
    }

    private func uuid(_ number: Int) -> AccountID { AccountID("018bcfe5-6800-7000-8000-00000000000\(number)")! }
}

extension News {
    fileprivate var removedWords: [String] { removed.map(\.words) }
}
