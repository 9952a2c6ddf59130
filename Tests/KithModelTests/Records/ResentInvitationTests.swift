import KithModel
import Testing

@Suite("Sending an invitation again") struct ResentInvitationTests {
    private static let now = Timestamp(milliseconds: 1_800_014_400_000)

    private func fault(notified: Timestamp?) -> RejectionCode? {
        Invitation.fault(ofResending: .pending, notified: notified, at: Self.now)?.code
    }

    @Test("is too soon within an hour, also if the recipient was notified a little later than now") func soon() {
        #expect(fault(notified: Self.now) == .tooSoon)
        #expect(fault(notified: Self.now + .seconds(5)) == .tooSoon)
        #expect(fault(notified: Self.now - Limits.resend) == nil)
        #expect(fault(notified: nil) == nil)
    }

    @Test("Trap: The recipient was notified while the clock was ahead, and the sender waits for a year – nobody waits")
    func clockAhead() { #expect(fault(notified: Self.now + .days(365)) == nil) }
}
