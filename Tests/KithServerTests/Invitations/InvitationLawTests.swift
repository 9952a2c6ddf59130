import Foundation
import KithModel
import KithServer
import Testing

/// Random worlds of people with two devices each, who invite, answer, revoke and send again, while the background job
/// runs at random times.
@Suite("Invitations under random histories") struct InvitationLawTests {
    @Test("Both sides agree at the end, nobody joins twice or uninvited", arguments: 0..<60 as Range<UInt64>)
    func laws(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try InvitationWorld()
        let (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        let list: FeedID = world.town.id()
        var adas = [ada, Phone(world.town, account: ada.account)]
        var bens = [ben, Phone(world.town, account: ben.account)]
        try adas[0].sync(adas[0].create(list))
        var hasAccepted = false
        for _ in 0..<60 {
            let device = Int.random(in: 0...1, using: &random)
            switch Int.random(in: 0...9, using: &random) {
            case 0:
                let purpose: Invitation.Purpose =
                    Bool.random(using: &random) ? .connect : .list(list.retyped(), .editor)
                try adas[device].sync(adas[device].invite("mailto:ben@example.com", purpose))
            case 1: try world.prove("mailto:ben@example.com", by: ben)
            case 2: if let one = adas[device].invitations.last { try adas[device].sync(adas[device].resend(one)) }
            case 3:
                if let one = adas[device].invitations.last {
                    try adas[device].sync(adas[device].edit(one, ["isRevoked": true]))
                }
            case 4, 5:
                if let one = bens[device].invitations.last {
                    let answer: Invitation.Answer = Bool.random(using: &random) ? .accept : .decline
                    hasAccepted = hasAccepted || answer == .accept
                    try bens[device].sync(bens[device].answer(one, answer))
                }
            case 6: if let one = bens[device].invitations.first { try bens[device].sync(bens[device].delete(one)) }
            case 7: world.town.pass(.seconds(Int.random(in: 0...200_000, using: &random)))
            default: try world.work()
            }
            if Bool.random(using: &random) { try adas[device].sync() } else { try bens[device].sync() }
        }
        try world.work()
        for index in 0...1 {
            try adas[index].sync()
            try bens[index].sync()
        }
        #expect(adas[0].invitations == adas[1].invitations && bens[0].invitations == bens[1].invitations)
        let sent = adas[0].invitations
        let accepted = sent.filter { $0.status == .accepted }
        #expect(accepted.allSatisfy { $0.peer == ben.account })
        #expect(accepted.isEmpty || hasAccepted)
        #expect(adas[0].relation(to: bens[0]) == (accepted.isEmpty ? "nothing" : "connected"))
        #expect(bens[0].relation(to: adas[0]) == (accepted.isEmpty ? "nothing" : "connected"))
        let isInList = accepted.contains { $0.purpose.list != nil }
        #expect(try world.town.role(ben.account, list) == (isInList ? .editor : nil))
        // Whatever Ben sees as accepted, Ada sees as accepted, and the reverse unless he has removed it.
        for one in bens[0].invitations where one.status == .accepted {
            #expect(accepted.contains { $0.purpose == one.purpose })
        }
        let open = sent.filter { [.pending, .failed].contains($0.status) && $0.isOpen(at: world.town.now) }
        let seen = bens[0].invitations.filter { $0.status == .pending && $0.isOpen(at: world.town.now) }
        #expect(seen.count <= open.count + sent.count { $0.status == .failed }, "Nothing that was revoked is shown.")
    }
}
