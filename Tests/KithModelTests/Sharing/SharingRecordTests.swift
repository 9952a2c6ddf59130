import Foundation
import KithModel
import Testing

@Suite("Records of sharing") struct SharingRecordTests {
    private let modified = Timestamp(milliseconds: 9)

    private let shareable: Fields = ["programme": "friends", "code": "ada-tea"]
    private var email: Fields {
        [
            "shareable": .text(uuid(1).text), "channel": "email", "recipient": "mailto:ben@example.com", "shared": 5,
        ]
    }

    @Test("A shareable is read from its fields, and empty texts are none")
    func readingShareables() throws {
        var fields = shareable
        fields["label"] = ""
        fields["key"] = "wish-list"
        fields["selected"] = 7
        let read = try #require(Shareable(id: ShareableID(uuid(1)), fields, modified: modified))
        #expect(read.code.text == "ADA-TEA" && read.programme == "friends")
        #expect(read.label == nil && read.key == "wish-list" && read.selected == Timestamp(milliseconds: 7))
        #expect(Shareable(id: ShareableID(uuid(1)), ["programme": "friends", "code": "ä"], modified: modified) == nil)
    }

    @Test(
        "Trap: codes – each fault of a shareable's code has a code of its own",
        arguments: [
            ("tränen", .codeIllegal), ("../etc", .codeIllegal), ("ab", .codeLength),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ", .codeLength),
        ] as [(String, RejectionCode)])
    func codes(typed: String, code: RejectionCode) {
        let fault = Shareable.schema.fault(["programme": "friends", "code": .text(typed)], nil)
        #expect(fault?.code == code)
        #expect(fault?.field == "code")
        #expect(Claim.schema.fault(["code": .text(typed), "used": 1], nil)?.code == code)
    }

    @Test("The code of a shareable changes, but neither its programme nor its key")
    func fixed() {
        #expect(Shareable.schema.fault(shareable, nil) == nil)
        var changed = shareable
        changed["code"] = "tea-time"
        #expect(Shareable.schema.fault(changed, shareable) == nil)
        for field in ["programme", "key"] {
            var changed = shareable
            changed[field] = "other"
            #expect(Shareable.schema.fault(changed, shareable)?.field == field)
        }
    }

    @Test(
        "The app's own data is a JSON object",
        arguments: ["[]", "1", "{", "\"a\"", "{\"a\":[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]}"])
    func data(text: String) {
        var fields = shareable
        fields["data"] = .text(text)
        #expect(Shareable.schema.fault(fields, nil)?.field == "data")
        fields["data"] = "{\"a\":[1,null]}"
        #expect(Shareable.schema.fault(fields, nil) == nil)
    }

    @Test("An email has an email address as its recipient, and other shares need none")
    func recipients() {
        #expect(Share.schema.fault(email, nil) == nil)
        for recipient: FieldValue in [.null, "tel:+436641234567", "ben", "mailto:Ben@Example.com "] {
            var fields = email
            fields["recipient"] = recipient
            #expect(Share.schema.fault(fields, nil)?.field == "recipient", "\(recipient)")
        }
        var sheet = email
        sheet["channel"] = "sheet"
        sheet["recipient"] = .null
        #expect(Share.schema.fault(sheet, nil) == nil)
        sheet["recipient"] = "tel:+436641234567"
        #expect(Share.schema.fault(sheet, nil) == nil)
        sheet["channel"] = "My Channel"
        #expect(Share.schema.fault(sheet, nil)?.field == "channel")
    }

    @Test("A share, a claim and an event never change")
    func unchanging() {
        for (name, value): (String, FieldValue) in [("message", "Hi"), ("shared", 6), ("channel", "sheet")] {
            var changed = email
            changed[name] = value
            #expect(Share.schema.fault(changed, email)?.field == name)
        }
        #expect(Share.schema.fault(email, email) == nil)
        #expect(Claim.schema.fault(["code": "tea-time", "used": 1], ["code": "ada-tea", "used": 1]) != nil)
        let event: Fields = ["programme": "friends", "name": "purchase", "occurred": 1]
        #expect(SharingEvent.schema.fault(event, nil) == nil)
        #expect(SharingEvent.schema.fault(event.merging(["name": "visit"]) { $1 }, event)?.field == "name")
    }

    @Test("Only the server records that somebody has joined")
    func joined() {
        let event: Fields = ["programme": "friends", "name": "joined", "occurred": 1]
        #expect(SharingEvent.schema.fault(event, nil)?.field == "name")
    }

    @Test("A share by email waits until the server has written its state, and any other is shared at once")
    func status() throws {
        func status(_ fields: Fields) throws -> Share.Status {
            try #require(Share(id: ShareID(uuid(2)), fields, modified: modified)).status
        }
        #expect(try status(email) == .pending)
        #expect(try status(email.merging(["state": "sent"]) { $1 }) == .sent)
        let failed = try status(email.merging(["state": "failed", "reason": "optedOut", "detail": "550"]) { $1 })
        #expect(failed == .failed(.init(.optedOut, detail: "550")))
        #expect(try status(email.merging(["channel": "sheet"]) { $1 }) == .shared)
    }

    @Test("Claims, referrals and rewards are read from their fields")
    func reading() throws {
        let claim = try #require(
            Claim(
                id: ClaimID(uuid(1)), ["code": "ada-tea", "used": 1, "state": "refused", "reason": "yourOwn"],
                modified: modified))
        #expect(claim.status == .refused(.yourOwn))
        let referral = try #require(
            Referral(
                id: ReferralID(uuid(1)), ["programme": "friends", "basis": "code", "joined": 4], modified: modified))
        #expect(referral.state == .joined && referral.joined == Timestamp(milliseconds: 4))
        let reward = try #require(
            Reward(
                id: RewardID(uuid(1)), ["programme": "friends", "name": "voucher-5", "side": "friend", "granted": 4],
                modified: modified))
        #expect(reward.side == .friend && reward.referral == nil)
    }

    @Test("A programme is the same after it was written as JSON and read")
    func programme() throws {
        let programme = ShareProgramme(
            name: "friends", title: "Bring friends", text: "…", url: URL(string: "https://example.com/join"),
            shares: [.email: .init(subject: "Kith", text: "{{link}}"), .link: .init(text: "{{link}}")],
            zones: [.init(name: "banner", content: "{}")], codes: ShareCodeRules(lengths: 5...9, reserved: ["kith"]),
            advocateReward: .init(name: "voucher-5", title: "5 € voucher"))
        let list = ShareProgrammeList(programmes: [programme])
        let json = try JSONEncoder().encode(list)
        #expect(try JSONDecoder().decode(ShareProgrammeList.self, from: json) == list)
        #expect(String(decoding: json, as: UTF8.self).contains("\"shares\":{"))
        #expect(programme.shareText(for: .sheet)?.text == "{{link}}")
    }
}
