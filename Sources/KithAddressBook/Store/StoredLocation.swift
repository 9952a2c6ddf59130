import Foundation

/// The stored form of a source's location. Its names and values never change.
///
/// If a file or folder is in a folder that can move, its path from there is stored too, so that it is found there later.
struct StoredLocation: Codable, Equatable {
    private enum Kind: String, Codable { case file, folder, account, device }

    private let kind: Kind
    private var path: String?
    /// The path from the client's folder.
    private var inFolder: String?
    /// The path from the home folder.
    private var inHome: String?
    private var url: URL?
    private var user: String?
    private var withoutTLS: Bool?

    init(_ location: SourceLocation, in folders: MovableFolders) {
        switch location {
        case .vCardFile(let url): (kind, path) = (.file, url.path(percentEncoded: false))
        case .folder(let url): (kind, path) = (.folder, url.path(percentEncoded: false))
        case .cardDAV(let url, let user, let withoutTLS):
            (kind, self.url, self.user, self.withoutTLS) = (.account, url, user, withoutTLS)
        case .device: kind = .device
        }
        inFolder = path.flatMap { MovableFolders.rest(of: $0, in: folders.client) }
        inHome = path.flatMap { MovableFolders.rest(of: $0, in: folders.home) }
    }

    /// This location as it is stored from now on: with its present path, and with its paths from the folders that can move.
    /// While it is in none of them, the earlier paths stay, because it may be found by them later.
    func renewed(as location: SourceLocation, in folders: MovableFolders) -> StoredLocation {
        var renewed = StoredLocation(location, in: folders)
        guard renewed.path == path else { return renewed }
        renewed.inFolder = renewed.inFolder ?? inFolder
        renewed.inHome = renewed.inHome ?? inHome
        return renewed
    }

    /// The present location; nil if a part is missing.
    func location(in folders: MovableFolders) -> SourceLocation? {
        switch kind {
        case .file: place(in: folders).map { .vCardFile(URL(filePath: $0, directoryHint: .notDirectory)) }
        case .folder: place(in: folders).map { .folder(URL(filePath: $0, directoryHint: .isDirectory)) }
        case .account:
            if let url, let user { .cardDAV(url, user: user, withoutTLS: withoutTLS ?? false) } else { nil }
        case .device: .device
        }
    }

    /// The present path.
    private func place(in folders: MovableFolders) -> String? {
        path.map { path in
            // Earlier versions have stored the path only.
            let rest = inHome ?? MovableFolders.restInContainer(of: path)
            return MovableFolders.moved(path, inFolder, to: folders.client)
                ?? MovableFolders.moved(path, rest, to: folders.home) ?? path
        }
    }
}
