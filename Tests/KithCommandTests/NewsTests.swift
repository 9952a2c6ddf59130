import KithCommand
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

    @Test("tells of a list when the list itself has changed, not with each of its items") func lists() {
        var teller = NewsTeller()
        let state = News(.lists, origin: "state", added: [.init(list)], removed: [], modified: [])
        #expect(teller.lines(state) == ["+ list Groceries"])
        let touched = News(.lists, origin: "server", added: [], removed: [], modified: [.init(list)])
        #expect(teller.lines(touched) == [])
        var renamed = list
        renamed.name = "Food"
        let change = News(.lists, origin: "server", added: [], removed: [], modified: [.init(renamed)])
        #expect(teller.lines(change) == ["~ list Food  (from the server)"])
    }

    @Test("tells of an item with its list, and where the change came from") func items() {
        var teller = NewsTeller()
        _ = teller.lines(News(.lists, origin: "state", added: [.init(list)], removed: [], modified: []))
        let news = News(.items, origin: "device", added: [], removed: [.init(item)], modified: [])
        #expect(teller.lines(news) == ["- [ ] Milk ×2  in Groceries  (here)"])
        let other = News(.items, origin: News.elsewhere, added: [.init(item)], removed: [], modified: [])
        #expect(teller.lines(other) == ["+ [ ] Milk ×2  in Groceries  (by another kith here)"])
    }

    @Test("is none to people where nothing changed that they see") func echo() {
        var teller = NewsTeller()
        #expect(!teller.lines(News(.items, origin: "device", added: [.init(item)], removed: [], modified: [])).isEmpty)
        var confirmed = News.Subject(item)
        #expect(teller.lines(News(.items, origin: "device", added: [], removed: [], modified: [confirmed])).isEmpty)
        var commented = item
        commented.comment = "the blue one"
        confirmed = News.Subject(commented)
        #expect(!teller.lines(News(.items, origin: "server", added: [], removed: [], modified: [confirmed])).isEmpty)
    }

    @Test("about one list has nothing of others") func one() {
        let news = News(.items, origin: "server", added: [.init(item)], removed: [], modified: [])
        #expect(!news.about(list.id).isEmpty)
        #expect(!news.about(nil).isEmpty)
        #expect(news.about(ListID("018bcfe5-6800-7000-8000-00000000000f")!).isEmpty)
    }

    @Test("tells of a person what is said of them, each time") func people() {
        var teller = NewsTeller()
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
}
