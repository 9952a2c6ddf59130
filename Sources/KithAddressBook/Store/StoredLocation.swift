import Foundation

/// The stored form of a source's location. Its names and values never change.
struct StoredLocation: Codable {
    private enum Kind: String, Codable { case file, folder, account, device }

    private let kind: Kind
    private var path: String?
    private var url: URL?
    private var user: String?
    private var withoutTLS: Bool?

    init(_ location: SourceLocation) {
        switch location {
        case .vCardFile(let url): (kind, path) = (.file, url.path(percentEncoded: false))
        case .folder(let url): (kind, path) = (.folder, url.path(percentEncoded: false))
        case .cardDAV(let url, let user, let withoutTLS):
            (kind, self.url, self.user, self.withoutTLS) = (.account, url, user, withoutTLS)
        case .device: kind = .device
        }
    }

    /// The location; nil if a part is missing.
    var location: SourceLocation? {
        switch kind {
        case .file: path.map { .vCardFile(URL(filePath: $0, directoryHint: .notDirectory)) }
        case .folder: path.map { .folder(URL(filePath: $0, directoryHint: .isDirectory)) }
        case .account:
            if let url, let user { .cardDAV(url, user: user, withoutTLS: withoutTLS ?? false) } else { nil }
        case .device: .device
        }
    }
}
