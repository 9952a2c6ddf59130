import HTTPTypes
import KithModel

/// Shows the programmes of the server to apps. Everything else about sharing is done by edits of records.
enum SharingOperations {
    static func showProgrammes(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let languages = PageLanguage.tags(accepted: call.incoming.headers[.acceptLanguage])
        let audience: Programme.Audience = session.kind == "identified" ? .identified : .anonymous
        let rows = try await call.database.read { try ProgrammeRow.all(in: $0) }
        let programmes = rows.map { $0.programme.shown(in: languages, to: audience) }
        return try Answer(json: ShareProgrammeList(programmes: programmes))
    }
}
