import Foundation

/// Prints tables of measurements. Each row also shows a floor, or other programs, measured in the same run.
///
/// The tables are for comparison only. No test depends on them.
@main struct Bench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == StreamingMemory.argument { return try StreamingMemory.measureHere() }
        if arguments.count == 2 {
            switch arguments[0] {
            case OverloadedServer.argument: return try await OverloadedServer.serve(database: arguments[1])
            case LinkServer.argument: return try await LinkServer.serve(database: arguments[1])
            case PlainServer.argument: return try await PlainServer.serve(page: Int(arguments[1]) ?? 0)
            default: break
            }
        }
        guard let parts = Part.asked(in: arguments) else {
            FileHandle.standardError.write(
                Data("usage: ./bench [sync | contacts | discovery | people | overload | signin | sharing]\n".utf8))
            exit(2)
        }
        try await measure(parts)
        // `exit` would destroy the tables of C++ libraries such as libphonenumber while threads still use them.
        fflush(nil)
        _exit(0)
    }

    private static func measure(_ parts: [Part]) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kith-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for part in parts { try await part.measure(in: folder) }
    }
}

/// The parts that can be measured separately.
private enum Part: String, CaseIterable {
    case sync, contacts, discovery, people, overload, signin, sharing

    /// The part that `arguments` name, or all parts if there is no argument; nil if no part has that name.
    static func asked(in arguments: [String]) -> [Part]? {
        guard let name = arguments.first else { return allCases }
        guard arguments.count == 1, let part = Part(rawValue: name) else { return nil }
        return [part]
    }

    func measure(in folder: URL) async throws {
        switch self {
        case .sync: try measureSync(in: folder)
        case .contacts: try await measureContacts(in: folder)
        case .discovery: try await measureDiscovery(in: folder)
        case .people: try await measurePeople(in: folder)
        case .overload: try measureOverload(in: folder)
        case .signin: try await measureSignIn()
        case .sharing: try await measureSharing(in: folder)
        }
    }
}
