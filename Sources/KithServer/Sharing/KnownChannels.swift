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
        let name = Self.name(of: programme.name)
        let known = try madeUp(in: programme.name, besides: named)
        if known.contains(channel) { return channel }
        if known.count >= Limits.madeUpChannels { return .link }
        // Another node may add one at the same time.
        try transaction.lockName(Secret.sha256(name))
        let current = try madeUp(in: programme.name, besides: named)
        if current.contains(channel) { return channel }
        if current.count >= Limits.madeUpChannels { return .link }
        try Meta.set(name, to: (current + [channel]).map(\.rawValue).joined(separator: " "), in: transaction)
        return channel
    }

    private func channels(of programme: String) throws -> Set<ShareChannel> {
        let texts = try ProgrammeRow.stored(programme, in: transaction)?.programme.shares
        let named = Set(texts?.keys.map(\.self) ?? [])
        return try named.union(madeUp(in: programme, besides: named))
    }

    /// The channels of a programme that devices have made up, in the order in which they were used first.
    private func madeUp(in programme: String, besides named: Set<ShareChannel>) throws -> [ShareChannel] {
        if let stored = try Meta.value(Self.name(of: programme), in: transaction) {
            return stored.split(separator: " ").compactMap { ShareChannel(rawValue: String($0)) }
        }
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
