import Foundation
import KithModel

/// The operator's file of issuers: a JSON array of objects.
package enum IssuerFile {
    /// The largest number of issuers in a file.
    package static let most = 20

    private struct Entry: Decodable {
        var name: String
        var displayName: String?
        var url: String
        var clientID: String
        var clientSecretFile: String?
        var scopes: [String]?
        var vouchesForEmails: Bool?
        var redirects: [String]?
        var loopback: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name, url, scopes, redirects, loopback
            case displayName = "display-name"
            case clientID = "client-id"
            case clientSecretFile = "client-secret-file"
            case vouchesForEmails = "vouches-for-emails"
        }
    }

    /// Reads the file.
    ///
    /// - Throws: ``ServerError`` that names the file, the issuer and what to correct.
    package static func read(_ path: String) throws(ServerError) -> [IssuerSettings] {
        func error(_ sentence: String) -> ServerError {
            ServerError(.malformed, "issuers-file names \(path), which \(sentence).")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw error("cannot be read. Create it, or name another file")
        }
        let entries: [Entry]
        let fields: [Fields]
        do throws(ServerError) {
            entries = try JSONBody.decode([Entry].self, from: data)
            fields = try JSONBody.decode([Fields].self, from: data)
        } catch let fault {
            throw error("is not a JSON array of issuers: \(fault.sentence) (\(fault.path ?? "$"))")
        }
        let known = Set(Entry.CodingKeys.allCases.map(\.rawValue))
        if let unknown = fields.flatMap(\.keys).filter({ !known.contains($0) }).min() {
            throw error("has the unknown key “\(unknown)”. The keys are \(known.sorted().joined(separator: ", "))")
        }
        var issuers: [IssuerSettings] = []
        for entry in entries {
            guard entry.name.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,31}/) != nil,
                !issuers.contains(where: { $0.name == entry.name })
            else {
                throw error(
                    "has the name “\(entry.name.prefix(40))”. A name has 1 to 32 of a-z, 0-9 and -, and belongs to one issuer"
                )
            }
            var issuer = IssuerSettings(
                name: entry.name, displayName: entry.displayName ?? entry.name, url: entry.url, clientID: entry.clientID
            )
            guard IssuerAddress.isAllowed(entry.url, for: entry.url) else {
                throw error(
                    "has “\(entry.url.prefix(80))” for \(entry.name). The url of an issuer begins with https://")
            }
            if let file = entry.clientSecretFile {
                issuer.clientSecret = try SecretFile.read(file, setting: "“client-secret-file” of \(entry.name)")
            }
            issuer.scopes = entry.scopes ?? issuer.scopes
            if !issuer.scopes.contains("openid") { issuer.scopes.insert("openid", at: 0) }
            issuer.vouchesForEmails = entry.vouchesForEmails ?? false
            issuer.redirects = entry.redirects ?? []
            issuer.allowsLoopback = entry.loopback ?? true
            issuers.append(issuer)
        }
        guard issuers.count <= most else { throw error("has more than \(most) issuers. Remove some") }
        return issuers
    }
}
