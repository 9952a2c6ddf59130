import Foundation
import KithModel
import KithServer
import Testing

@Suite("What nodes tell each other")
struct NodeNoticeTests {
    private let node = NodeID("here")

    private static func ids<Record>(_ count: Int) -> Set<RecordID<Record>> {
        Set((0..<count).map { _ in RecordID(UUID()) })
    }

    private static func device() -> AccountDevice { AccountDevice(DeviceID(UUID()), of: AccountID(UUID())) }

    /// Signals of each kind, with `count` ids.
    private static func signals(_ count: Int) -> Signals {
        var signals = Signals(
            moved: ids(count), changedPages: ids(count), topics: [Signals.Topic("one"), Signals.Topic("two")],
            closedSessions: ids(count), closedAccounts: ids(count), changedSessions: ids(count),
            changedKinds: ids(count))
        signals.circles = ids(count)
        signals.choices = Set(
            (0..<count).map { _ in PresenceChoice(.busy, of: AccountID(UUID()), DeviceID(UUID())) })
        return signals
    }

    @Test(
        "Law: Every part of a notice is in its text, and its text is short enough for NOTIFY", arguments: [1, 40, 800])
    func form(count: Int) throws {
        var news = NodeNews()
        let (signals, others, device) = (Self.signals(count), Self.signals(1), Self.device())
        news.add(signals, by: device)
        news.add(others)
        let noon = HandClock.start
        let presence = (0..<count).map { number in
            PresenceChange(
                AccountID(UUID()), Presence.State.allCases[number % 5], at: noon + .seconds(number))
        }
        let notices = news.notices(from: node, presence: presence, changes: 7)
        var (moved, heard, people): ([FeedID: Mover], Signals, Set<PresenceChange>) = ([:], Signals(), [])
        for notice in notices.stored + notices.others {
            let text = notice.text
            #expect(text.utf8.count <= NodeNotice.longest)
            let read = try #require(NodeNotice(text))
            #expect(read.node == node && !read.hasMoreFeeds && !read.isLost)
            moved.merge(read.moved) { first, _ in first }
            heard.formUnion(read.signals)
            people.formUnion(read.presence)
        }
        for feed in signals.moved { #expect(moved[feed] == .device(device)) }
        for feed in others.moved { #expect(moved[feed] == .others) }
        #expect(moved.count == count + 1)
        var all = signals
        all.formUnion(others)
        all.moved = []
        #expect(heard == all && people == Set(presence))
        for notice in notices.others { #expect(notice.changes == 7) }
        for notice in notices.stored { #expect(notice.moved.isEmpty && notice.signals.circles.isEmpty) }
    }

    @Test("Unknown parts of a notice are ignored, and a later version is not read") func versions() throws {
        let feed = FeedID(UUID())
        var notice = NodeNotice(node)
        (notice.moved, notice.number) = ([feed: .others], 5)
        let text = notice.text
        let newer = text.dropLast() + #","new":{"a":[1]}}"#
        #expect(NodeNotice(String(newer)) == notice)
        #expect(NodeNotice(text.replacing(#""v":1"#, with: #""v":2"#)) == nil)
        for text in ["", "{}", "[]", #"{"v":1}"#, #"{"v":1,"n":"x","s":"AAA"}"#] { #expect(NodeNotice(text) == nil) }
    }

    @Test("Trap: Nodes of two versions – one that names no account tells everyone, and one that knows none ignores it")
    func moverOfOtherVersions() throws {
        let (feed, device) = (FeedID(UUID()), Self.device())
        var notice = NodeNotice(node)
        notice.moved = [feed: .device(device)]
        let account = #","a":"\#(device.account.uuid.data.base64URL)""#
        #expect(notice.text.contains(account))
        #expect(NodeNotice(notice.text)?.moved == notice.moved)
        #expect(NodeNotice(notice.text.replacing(account, with: ""))?.moved == [feed: .others])
    }

    @Test(
        "Trap: Nodes of two versions – one that does not name the topic of an invitation wakes its job, and is woken",
        arguments: [Signals.Topic.invitations, .connections, .identities, .sharing])
    func topicsOfOtherVersions(topic: Signals.Topic) {
        var notice = NodeNotice(node)
        notice.signals.topics = [topic, .profiles]
        #expect(notice.text.contains(#""b":true"#), "An earlier version rings for all others.")
        #expect(NodeNotice(notice.text)?.signals.topics == [topic, .profiles])
        let earlier = #"{"v":1,"n":"there","j":["profileFanout"],"b":true}"#
        #expect(NodeNotice(earlier)?.signals.topics == [.profiles, .unnamed])
        notice.signals.topics = [.profiles, .closedLists]
        #expect(!notice.text.contains(#""b":"#))
    }

    @Test("A feed that two devices have moved is told to both") func movers() {
        let (feed, one, other) = (FeedID(UUID()), Self.device(), Self.device())
        var news = NodeNews()
        news.add(Signals(moved: [feed]), by: one)
        news.add(Signals(moved: [feed]), by: one)
        #expect(news.moved == [feed: .device(one)])
        news.add(Signals(moved: [feed]), by: other)
        #expect(news.moved == [feed: .others])
    }

    @Test("Law: Beyond a limit, the others are told to look, and what is gathered takes no more room") func bounds() {
        var news = NodeNews()
        for _ in 0..<3 { news.add(Signals(moved: Self.ids(NodeNews.feeds))) }
        #expect(news.hasMoreFeeds && news.moved.isEmpty && !news.isLost)
        #expect(news.notices(from: node).others.map(\.hasMoreFeeds) == [true])
        var signals = Signals(topics: [Signals.Topic("one")])
        signals.closedSessions = Self.ids(NodeNews.others + 1)
        news.add(signals)
        #expect(news.isLost && news.signals.closedSessions.isEmpty && news.signals.topics == signals.topics)
        #expect(news.notices(from: node).stored.map(\.isLost) == [true])
    }
}
