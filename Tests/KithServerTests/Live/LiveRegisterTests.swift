import Foundation
import KithModel
import KithServer
import Testing

@Suite("The register of live streams")
struct LiveRegisterTests {
    private let account = AccountID(UUID())
    private let phone = DeviceID(UUID())
    private let tablet = DeviceID(UUID())
    private let feeds = (0..<LiveRegister.waiting + 1).map { _ in FeedID(UUID()) }

    @Test("Many signals become one event, which is sent once")
    func gathering() {
        var register = LiveRegister()
        let id = register.add(account, phone, session: "s")
        register.listen(id, to: Set(feeds.prefix(3)))
        for feed in feeds.prefix(4) { _ = register.moved([feed], by: AccountDevice(tablet, of: account)) }
        #expect(register.take(id) == LiveRegister.Batch(feeds: Set(feeds.prefix(3))))
        #expect(register.take(id) == LiveRegister.Batch())
    }

    @Test("A device gets no event for its own change, but asks which feeds there are now")
    func ownDoing() {
        var register = LiveRegister()
        let id = register.add(account, phone, session: "s")
        register.listen(id, to: [feeds[0]])
        #expect(register.moved([feeds[0]], by: AccountDevice(phone, of: account)).isEmpty)
        #expect(register.moved([account.retyped()], by: AccountDevice(phone, of: account)) == [id])
        #expect(register.take(id) == LiveRegister.Batch(needsFeeds: true))
    }

    @Test("Trap: Devices of two accounts have the same id – each is told what the other has done")
    func sameID() {
        var register = LiveRegister()
        let (ada, ben) = (AccountID(UUID()), AccountID(UUID()))
        let (hers, his) = (register.add(ada, phone, session: "a"), register.add(ben, phone, session: "b"))
        for id in [hers, his] { register.listen(id, to: [feeds[0]]) }
        #expect(register.moved([feeds[0]], by: AccountDevice(phone, of: ben)) == [hers])
        #expect(register.take(hers) == LiveRegister.Batch(feeds: [feeds[0]]))
        #expect(register.moved([ada.retyped()], by: AccountDevice(phone, of: ben)) == [hers])
        #expect(register.take(hers) == LiveRegister.Batch(feeds: [ada.retyped()], needsFeeds: true))
    }

    @Test("If too many events wait, the event says that everything may have moved")
    func overflow() {
        var register = LiveRegister()
        let id = register.add(account, phone, session: "s")
        register.listen(id, to: Set(feeds))
        _ = register.moved(Set(feeds.prefix(LiveRegister.waiting)), by: nil)
        _ = register.moved([feeds[LiveRegister.waiting]], by: nil)
        #expect(register.take(id) == LiveRegister.Batch(isEverything: true))
        _ = register.moved([feeds[0]], by: nil)
        #expect(register.take(id) == LiveRegister.Batch(feeds: [feeds[0]]))
    }

    @Test("A person who may no longer read a feed gets no more events about it")
    func lost() {
        var register = LiveRegister()
        let id = register.add(account, phone, session: "s")
        register.listen(id, to: [feeds[0], feeds[1]])
        register.listen(id, to: [feeds[1]])
        #expect(register.moved([feeds[0]], by: nil).isEmpty)
        #expect(register.moved([feeds[1]], by: nil) == [id])
    }

    @Test("The end of a session ends only its own streams")
    func ending() {
        var register = LiveRegister()
        let (first, second) = (register.add(account, phone, session: "a"), register.add(account, phone, session: "b"))
        #expect(register.end(session: "a") == [first])
        #expect(register.take(first).isEnd)
        #expect(!register.take(second).isEnd)
        #expect(register.end() == [first, second])
        register.remove(first)
        register.remove(second)
        #expect(register.count == 0 && register.count(of: "a") == 0)
        #expect(register.moved([account.retyped()], by: nil).isEmpty)
    }

    @Test("The oldest stream of a device ends, one after the other, and those that end are not counted")
    func oldest() {
        var register = LiveRegister()
        let other = register.add(account, tablet, session: "a")
        let streams = (0..<3).map { _ in register.add(account, phone, session: "a") }
        _ = register.add(account, phone, session: "b")
        for (index, stream) in streams.enumerated() {
            #expect(register.count(of: "a") == 4 - index)
            #expect(register.oldest(of: "a", phone, addedUntil: .zero) == stream)
            register.end(stream)
            #expect(register.take(stream).isEnd && register.take(stream).isEnd)
        }
        #expect(register.oldest(of: "a", phone, addedUntil: .zero) == nil)
        #expect(register.count(of: "a") == 1 && !register.take(other).isEnd)
    }

    @Test("The oldest stream of a device is the first, if that is old enough") func ages() {
        var register = LiveRegister()
        let first = register.add(account, phone, session: "a", at: .seconds(5))
        _ = register.add(account, phone, session: "a", at: .seconds(6))
        #expect(register.oldest(of: "a", phone, addedUntil: .milliseconds(4_999)) == nil)
        #expect(register.oldest(of: "a", phone, addedUntil: .seconds(5)) == first)
        #expect(register.oldest(of: "a", tablet, addedUntil: .seconds(5)) == nil)
    }

    @Test("A change of an account's sessions is reported to its own listeners, once") func sessions() {
        var register = LiveRegister()
        let (ada, ben) = (AccountID(UUID()), AccountID(UUID()))
        let listener = register.add(ada, DeviceID(UUID()), session: "1")
        let other = register.add(ben, DeviceID(UUID()), session: "2")
        register.listen(other, to: [ada.retyped()])
        #expect(register.sessionsChanged(of: ada) == [listener])
        #expect(register.take(listener).hasNewSessions && !register.take(listener).hasNewSessions)
        #expect(!register.take(other).hasNewSessions)
    }
}
