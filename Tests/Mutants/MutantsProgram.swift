import Foundation

/// Makes mutants of the engine's files and runs the tests against each. `Scripts/mutants` builds it and calls it.
@main struct MutantsProgram {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 4 else { throw Trouble("Start this with Scripts/mutants.") }
        let repository = URL(filePath: arguments[1], directoryHint: .isDirectory)
        let copy = URL(filePath: arguments[2], directoryHint: .isDirectory)
        let state = try State(URL(filePath: arguments[3], directoryHint: .isDirectory))
        let rest = Array(arguments.dropFirst(4))
        let folders = try TestFolders(repository)
        switch arguments[0] {
        case "make":
            let manifest = try MutatedCopy(repository: repository, copy: copy, state: state)
                .make(mutating: folders.sources)
            print("\(manifest.candidates.count) mutants, \(manifest.refused.count) of which do not compile")
        case "refuse":
            let log = try String(contentsOfFile: rest[0], encoding: .utf8)
            let refusals = Refusals(try state.manifest(), copy: copy)
            let keys = try refusals.keys(for: log)
            try state.refuse(keys)
            print("The compiler refuses \(keys.count) more.")
        case "run":
            let options = try Options(rest, folders: folders)
            try await Session(
                repository: repository, copy: copy, state: state, folders: folders, options: options
            ).run()
        default: throw Trouble("Start this with Scripts/mutants.")
        }
    }
}
