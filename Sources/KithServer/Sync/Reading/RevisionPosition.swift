package import KithModel

/// How far a replica has read, by revisions: the content of a ``SyncToken`` of the form ``TokenForm/revisions``.
///
/// After a complete answer, all feeds have been read to its revision, and the position does not name any. While an
/// answer is incomplete, the feeds in the order of their ids are in a few ranges, each with a revision:
///
///     feeds   own ─ list 1 ─ list 2 ─ list 3 ─ list 4 ─ list 5 ─ list 6
///     read    ╰──── to revision 71 ────╯  ╰ in pages ╯ ╰── not yet: 0 ──╯
///
/// Only the feeds in the middle of which an answer has ended have positions of their own.
package struct RevisionPosition: Hashable, Sendable {
    /// A range of feeds, up to the next step.
    package struct Step: Hashable, Sendable {
        /// The first feed; nil for the first range.
        package var start: FeedID?
        /// The feeds were read to this revision. Those that the account could not read then were not.
        package var revision: Revision
    }

    /// The token entries of a feed with which the next answer is the same. Neighbouring feeds that share one need only
    /// one range, so the token stays short.
    package enum Fit: Hashable, Sendable {
        /// It was read to any of these revisions, which makes no difference.
        case revisions(ClosedRange<Revision>)
        case position(FeedPositions.Position)
    }

    /// The epoch in which the revisions are valid.
    package var epoch: String
    /// The last bytes of the account's id. The position says nothing about the feeds of another account.
    package var account: Int64
    /// The revision of the answer. The device knows the lists that the account has lost until then.
    package var revision: Revision
    /// The ranges, in the order of the ids; none if all feeds were read to ``revision``.
    package var steps: [Step] = []
    /// The positions of other feeds.
    package var positions: [FeedID: FeedPositions.Position] = [:]

    /// The position at the end of all feeds.
    package init(epoch: String, account: AccountID, revision: Revision) {
        self.epoch = epoch
        self.account = Self.tag(of: account)
        self.revision = revision
    }

    /// A position at which `feeds` were read as they say, and all other feeds to any of the revisions `others`. The
    /// position has as few ranges as possible.
    package init(
        epoch: String, account: AccountID, revision: Revision, feeds: [FeedID: Fit], others: ClosedRange<Revision>
    ) {
        self.init(epoch: epoch, account: account, revision: revision)
        var (start, range): (FeedID?, ClosedRange<Revision>) = (nil, others)
        for (feed, fit) in feeds.sorted(by: { $0.key < $1.key }) {
            switch fit {
            case .position(let position): positions[feed] = position
            case .revisions(let fit) where fit.overlaps(range): range = range.clamped(to: fit)
            case .revisions(let fit):
                steps.append(Step(start: start, revision: range.upperBound))
                (start, range) = (feed, others.clamped(to: fit))
            }
        }
        steps.append(Step(start: start, revision: range.upperBound))
    }

    /// Whether the answer that brought this position was incomplete.
    package var isContinued: Bool { !steps.isEmpty }

    /// Whether the position is one of this account.
    func isOf(_ account: AccountID) -> Bool { self.account == Self.tag(of: account) }

    /// The revision to which `feed` was read, if it has no position.
    func revision(of feed: FeedID) -> Revision {
        steps.last { $0.start.map { $0 <= feed } ?? true }?.revision ?? revision
    }

    private static func tag(of account: AccountID) -> Int64 { Int64(account.uuid.halves.low & 0xFFFF_FFFF_FFFF) }
}

extension RevisionPosition {
    /// The token: for a complete answer about twenty-seven bytes, in Base64url.
    package var token: SyncToken {
        var bytes = TokenBytes()
        bytes.append(byte: isContinued ? TokenForm.Version.continuedRevisions : TokenForm.Version.revisions)
        bytes.append(epoch: epoch)
        bytes.append(number: account)
        bytes.append(number: revision.number)
        if isContinued {
            bytes.append(number: Int64(steps.count - 1))
            for step in steps {
                if let start = step.start { bytes.append(id: start.uuid) }
                bytes.append(number: step.revision.number)
            }
            for (feed, position) in positions.sorted(by: { $0.key < $1.key }) {
                bytes.append(id: feed.uuid)
                bytes.append(position)
            }
        }
        return bytes.token
    }

    /// Reads `token`; nil if it cannot be read, or has another form.
    package init?(_ token: SyncToken) {
        guard let bytes = TokenBytes(token) else { return nil }
        self.init(bytes)
    }

    /// Reads the bytes of a token.
    init?(_ bytes: TokenBytes) {
        var bytes = bytes
        guard let version = bytes.byte(),
            version == TokenForm.Version.revisions || version == TokenForm.Version.continuedRevisions,
            let epoch = bytes.epoch(), let account = bytes.number(), let revision = bytes.number()
        else { return nil }
        self.epoch = epoch
        self.account = account
        self.revision = Revision(revision)
        guard version == TokenForm.Version.continuedRevisions else {
            if bytes.isEmpty { return }
            return nil
        }
        guard let count = bytes.number() else { return nil }
        for index in 0...count {
            guard let start = index == 0 ? .some(nil) : bytes.id().map({ FeedID($0) }), let number = bytes.number(),
                number <= revision
            else { return nil }
            steps.append(Step(start: start, revision: Revision(number)))
        }
        guard let positions = bytes.positions() else { return nil }
        self.positions = positions
    }
}
