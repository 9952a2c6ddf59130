import KithModel
import Testing

extension FieldTests {
    /// The rows of what is shared, and of what it brings.
    static let sharingRows: [Row] = shareableRows + shareRows + claimRows + eventRows + referralRows + rewardRows

    private static let shareableRows: [Row] = [
        .text(Shareable.schema, "programme", 32, least: 1, isRequired: true),
        .text(Shareable.schema, "code", 48, least: 1, isRequired: true),
        .text(Shareable.schema, "key", 100),
        .text(Shareable.schema, "label", 200),
        .text(Shareable.schema, "content", Limits.shareableContent),
        .text(Shareable.schema, "data", Limits.sharingData),
        .text(Shareable.schema, "list", 64),
        .time(Shareable.schema, "selected"),
    ]

    private static let shareRows: [Row] = [
        .identifier(Share.schema, "shareable", isRequired: true),
        .text(Share.schema, "channel", 32, least: 1, isRequired: true),
        .text(Share.schema, "recipient", 300, least: 1),
        .text(Share.schema, "subject", 200),
        .text(Share.schema, "message", Limits.invitationText),
        .text(Share.schema, "language", 35),
        .text(Share.schema, "data", Limits.sharingData),
        .time(Share.schema, "shared", isRequired: true),
        .choice(Share.schema, "state", ["sent", "failed"]),
        .text(Share.schema, "reason", 40),
        .text(Share.schema, "detail", 200),
    ]

    private static let claimRows: [Row] = [
        .text(Claim.schema, "code", 48, least: 1, isRequired: true),
        .time(Claim.schema, "used", isRequired: true),
        .text(Claim.schema, "channel", 32, least: 1),
        .text(Claim.schema, "programme", 32),
        .choice(Claim.schema, "state", ["bound", "refused"]),
        .text(Claim.schema, "reason", 40),
        .text(Claim.schema, "advocateName", 201),
    ]

    private static let eventRows: [Row] = [
        .text(SharingEvent.schema, "programme", 32, least: 1, isRequired: true),
        .text(SharingEvent.schema, "name", 64, least: 1, isRequired: true),
        .text(SharingEvent.schema, "data", Limits.sharingData),
        .time(SharingEvent.schema, "occurred", isRequired: true),
    ]

    private static let referralRows: [Row] = [
        .text(Referral.schema, "programme", 32, least: 1, isRequired: true),
        .identifier(Referral.schema, "shareable"),
        .choice(Referral.schema, "basis", ["code", "recipient"], isRequired: true),
        .text(Referral.schema, "friendName", 201),
        .time(Referral.schema, "joined", isRequired: true),
        .choice(Referral.schema, "state", ["joined", "held", "granted", "refused"]),
    ]

    private static let rewardRows: [Row] = [
        .text(Reward.schema, "programme", 32, least: 1, isRequired: true),
        .text(Reward.schema, "name", 64, least: 1, isRequired: true),
        .text(Reward.schema, "title", 200),
        .choice(Reward.schema, "side", ["advocate", "friend"], isRequired: true),
        .identifier(Reward.schema, "referral"),
        .text(Reward.schema, "event", 64),
        .time(Reward.schema, "granted", isRequired: true),
    ]
}
