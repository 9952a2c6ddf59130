import Foundation
import KithModel
import KithServer

extension AccountOverview {
    /// An account that has one of everything, with `text` in each place for text from people.
    static func full(_ text: String) -> AccountOverview {
        let (now, id) = (Timestamp(milliseconds: 1_796_468_694_947), UUID())
        var overview = AccountOverview()
        overview.name = text
        overview.sessions = [true, false].map { isCurrent in
            SessionEntry(id: SessionID(UUID()), device: text, created: now, lastUsed: now, isCurrent: isCurrent)
        }
        overview.hasMoreSessions = true
        overview.identities = OwnIdentityList(
            identities: ["mailto:ada@example.com", "tel:+436641234567"].compactMap { Identity($0) }
                .map { OwnIdentity(identity: $0, since: now) },
            issuers: [
                OwnIssuerIdentity(
                    id: IssuerIdentityID(id), issuer: "https://issuer.example", name: "example", displayName: text,
                    since: now)
            ])
        overview.passkeys = [
            Passkey(id: PasskeyID(id), name: text, created: now, isSynced: true),
            Passkey(id: PasskeyID(id), name: nil, created: now, isSynced: false),
        ]
        let reward = #"{"name":"voucher","title":{"de":"Tee"},"event":"joined"}"#
        let rewards = #"{"advocate":\#(reward),"friend":\#(reward)}"#
        let file = Data(#"{"name":"friends","title":{"en":"Tea"},"text":{"en":"Tea"},"rewards":\#(rewards)}"#.utf8)
        var programme = try! ProgrammeFile.read(file)  // The file is valid.
        programme.title = ["en": text]
        programme.advocateReward?.title = ["de": text]
        programme.friendReward?.title = ["es": text]
        overview.sharing.programmes = ["friends": programme]
        let reasons = ["unknownCode", "yourOwn", "alreadyBound", "tooLate", "paused", "new"]
        let refused = reasons.map { reason -> Fields in ["state": "refused", "reason": .text(reason)] }
        let states: [Fields] = [[:], ["state": "bound"]] + refused
        overview.sharing.claims = states.compactMap { state in
            let fields: Fields = [
                "code": "ADA-TEA", "used": .integer(now.milliseconds), "programme": "friends",
                "advocateName": .text(text),
            ]
            return Claim(id: ClaimID(id), fields.merging(state) { $1 }, modified: now)
        }
        overview.sharing.referrals = Referral.State.allCases.compactMap { state in
            let fields: Fields = [
                "programme": "friends", "basis": "code", "friendName": .text(text),
                "joined": .integer(now.milliseconds), "state": .text(state.rawValue),
            ]
            return Referral(id: ReferralID(id), fields, modified: now)
        }
        overview.sharing.rewards = Reward.Side.allCases.compactMap { side in
            let fields: Fields = [
                "programme": "friends", "name": "voucher", "title": .text(text), "side": .text(side.rawValue),
                "granted": .integer(now.milliseconds),
            ]
            return Reward(id: RewardID(id), fields, modified: now)
        }
        overview.sharing.cut = Set(SharingOverview.Part.allCases)
        return overview
    }
}
