package import KithModel

/// A code that somebody has, as the page of its link shows it.
package struct SharedCode: Hashable, Sendable {
    /// The code, as its owner wrote it.
    package let code: ShareCode
    package let programme: Programme
    /// The name that the owner shows to everyone; nil if there is none.
    package let advocate: String?
    /// The text of the owner for the people who open the link; nil for none.
    package let content: String?
    /// The version of the programme's picture; nil if there is none.
    package let picture: String?
    /// The token of the public link whose list the page shows; nil for none.
    package let listToken: String?

    package init(
        _ code: ShareCode, of programme: Programme, by advocate: String?, content: String? = nil,
        picture: String? = nil, listToken: String? = nil
    ) {
        (self.code, self.programme, self.advocate) = (code, programme, advocate)
        (self.content, self.picture, self.listToken) = (content, picture, listToken)
    }

    /// Finds a code in any spelling; nil if nobody has it.
    ///
    /// - Parameters:
    ///   - typed: The code.
    ///   - isForLink: Whether only the programme is read if its links lead elsewhere.
    ///   - transaction: The transaction.
    /// - Returns: The code.
    /// - Throws: ``ServerError`` if the database fails.
    static func find(
        _ typed: ShareCode, isForLink: Bool = false, in transaction: any Transaction
    ) throws -> SharedCode? {
        guard let row = try ShareCodeRow.find(typed, in: transaction), let account = row.account,
            let programme = try ProgrammeRow.stored(row.programme, in: transaction)?.programme
        else { return nil }
        if isForLink, programme.leadsElsewhere { return SharedCode(typed, of: programme, by: nil) }
        let profile = RecordPlace.profile(of: account)
        let shareable = row.record.map { RecordPlace($0, of: account) }
        let records = try RecordRow.read(Set([profile] + [shareable].compactMap(\.self)), in: transaction)
        // An earlier code of the shareable leads here too.
        let fields = shareable.flatMap { records[$0]?.state.fields } ?? [:]
        let written = fields["code"]?.text.flatMap { try? ShareCode($0) }
        let shown = Profile.shown(records[profile]?.state.fields ?? [:], toNetwork: false)
        return SharedCode(
            written == typed ? written ?? typed : typed, of: programme, by: Profile(shown).fullName,
            content: fields["content"]?.filled,
            picture: try ProgrammePicture.version(of: programme.name, in: transaction),
            listToken: fields["list"]?.filled)
    }
}
