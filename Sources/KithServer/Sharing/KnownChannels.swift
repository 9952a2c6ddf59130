import KithModel

/// The channels by which links are counted: the standard ones, those that a programme names, and those by which somebody
/// has shared.
///
/// Anybody can write another name into the address of a page, and would fill the funnel with it.
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

    private func channels(of programme: String) throws -> Set<ShareChannel> {
        let used = try transaction.query(
            "SELECT DISTINCT channel FROM funnel WHERE programme = ? AND step = ?",
            [.text(programme), .text(Funnel.Step.shared.rawValue)]
        ).compactMap { ShareChannel(rawValue: try $0.text(0)) }
        let named = try ProgrammeRow.stored(programme, in: transaction)?.programme.shares.keys.map(\.self) ?? []
        return Set(used + named)
    }
}
