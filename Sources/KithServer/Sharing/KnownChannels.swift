import KithModel

/// The channels by which links are counted: the standard ones, those that a programme names, and the first
/// ``Limits/madeUpChannels`` others by which devices have shared in it.
///
/// Anybody can share by another name, or write it into the address of a page, and would fill the funnel with it.
struct KnownChannels {
    private static let standard: Set<ShareChannel> = [.email, .link, .message, .scan, .sheet]

    let transaction: any Transaction
    private var ofProgrammes: [String: Set<ShareChannel>] = [:]

    init(_ transaction: any Transaction) { self.transaction = transaction }

    /// The channel that counts for a link of a programme: `link` if the one that the link names is not known.
    mutating func counted(_ channel: ShareChannel?, in programme: String) throws -> ShareChannel {
        guard let channel else { return .link }
        if Self.standard.contains(channel) { return channel }
        let known = try ofProgrammes[programme] ?? channels(of: programme)
        ofProgrammes[programme] = known
        return known.contains(channel) ? channel : .link
    }

    /// The channel that counts for a share in a programme. A new one is known from then on, unless the programme has as many
    /// as it may have: then the share counts as `link`.
    func countedShare(_ channel: ShareChannel, in programme: Programme) throws -> ShareChannel {
        let named = Set(programme.shares.keys)
        if Self.standard.contains(channel) || named.contains(channel) { return channel }
        if let stored = try stored(programme.name), let counted = Self.counted(channel, stored) { return counted }
        // Another node may add one at the same time.
        let name = Self.name(of: programme.name)
        try transaction.lockName(Secret.sha256(name))
        var known = try madeUp(in: programme.name, besides: named)
        let counted = Self.counted(channel, known)
        if counted == nil { known.append(channel) }
        // Also those that earlier versions have counted, so that the funnel is not read again.
        try Meta.set(name, to: known.map(\.rawValue).joined(separator: " "), in: transaction)
        return counted ?? channel
    }

    /// The channel that counts if devices have made up these; nil if it is new, and there is room for it.
    private static func counted(_ channel: ShareChannel, _ known: [ShareChannel]) -> ShareChannel? {
        if known.contains(channel) { return channel }
        return known.count < Limits.madeUpChannels ? nil : .link
    }

    private func channels(of programme: String) throws -> Set<ShareChannel> {
        let row = try ProgrammeRow.stored(programme, in: transaction)
        let named = row.map { Set($0.programme.shares.keys) } ?? []
        return try named.union(madeUp(in: programme, besides: named))
    }

    private func stored(_ programme: String) throws -> [ShareChannel]? {
        try Meta.value(Self.name(of: programme), in: transaction)?.split(separator: " ").compactMap {
            ShareChannel(rawValue: String($0))
        }
    }

    /// The channels of a programme that devices have made up, in the order in which they were used first.
    private func madeUp(in programme: String, besides named: Set<ShareChannel>) throws -> [ShareChannel] {
        if let stored = try stored(programme) { return stored }
        // Earlier versions have counted every channel of a share.
        let used = try transaction.query(
            "SELECT channel FROM funnel WHERE programme = ? AND step = ? GROUP BY channel ORDER BY min(day), channel",
            [.text(programme), .text(Funnel.Step.shared.rawValue)]
        ).compactMap { ShareChannel(rawValue: try $0.text(0)) }
        let others = used.filter { !Self.standard.contains($0) && !named.contains($0) }
        return Array(others.prefix(Limits.madeUpChannels))
    }

    /// The name under which they are stored, as words.
    private static func name(of programme: String) -> String { "channels \(programme)" }
}
