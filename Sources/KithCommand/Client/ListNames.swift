import ArgumentParser
import Foundation
import Kith
import KithModel

/// The names of an account's lists, for completion in a shell, and for suggestions.
enum ListNames {
    static func complete(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        guard let client = client(words) else { return [] }
        guard let account = GlobalOptions.value(of: "--account", in: words) else {
            return (try? await client.lists.all().map(\.name.printable.shellCandidate)) ?? []
        }
        guard let stores = try? await client.accounts.all(),
            let scope = try? StoreReference(text: account).resolve(among: stores)
        else { return [] }
        return (try? await client.lists.all(within: scope).map(\.name.printable.shellCandidate)) ?? []
    }

    /// The client for the device that the typed command names; nil if there is none.
    static func client(_ words: [String]) -> KithClient? {
        let folder = GlobalOptions.value(of: "--data", in: words)
        // Completion must not create a folder.
        guard
            let options = try? GlobalOptions.parse(folder.map { ["--data=\($0)"] } ?? []),
            let location = try? CommandLocation(options, environment: ProcessInfo.processInfo.environment),
            FileManager.default.fileExists(atPath: location.folder.path()),
            let client = try? KithClient(KithConfiguration(server: nil, storage: .directory(location.folder)))
        else { return nil }
        if let note = client.noteOfDamage { Console(isJSON: false).note("\n" + note) }
        return client
    }
}
