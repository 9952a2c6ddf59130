import Foundation

/// A copy of the repository in which the engine's files have their mutants, all of them behind one switch.
struct MutatedCopy {
    /// What is known of one build: its mutants, and where their switches stand.
    struct Manifest: Codable {
        var candidates: [Candidate] = []
        /// The traces of each file.
        var traces: [String: [MutatedSource.Trace]] = [:]
        /// The numbers that the compiler refused, so that no switch of theirs is left.
        var refused: Set<Int> = []

        /// One more than the highest number.
        var size: Int { (candidates.map(\.number).max() ?? 0) + 1 }
    }

    /// Numbers from one file to the next, so that a change of one file leaves those of the others.
    static let numbersOfFile = 1000

    let repository: URL
    let copy: URL
    let state: State

    /// Brings the copy up to date. What has not changed keeps its time, so that it is not compiled again.
    func make(mutating folders: [String]) throws -> Manifest {
        let refused = try state.refused()
        let files = try repositoryFiles()
        var manifest = Manifest()
        var mutated = 0
        let sources = files.filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
        let signatures = Signatures(
            of: try sources.map { try String(contentsOf: repository.appending(path: $0), encoding: .utf8) })
        for path in files {
            var content = try Data(contentsOf: repository.appending(path: path))
            if path.hasSuffix(".swift"), folders.contains(where: { path.hasPrefix($0 + "/") || path == $0 }) {
                let text = String(decoding: content, as: UTF8.self)
                let finder = CandidateFinder(
                    text, file: path, base: mutated * Self.numbersOfFile, signatures: signatures)
                mutated += 1
                guard finder.candidates.count < Self.numbersOfFile else {
                    throw Trouble("\(path) has more mutants than numbers.")
                }
                let dropped = Set(finder.candidates.filter { refused.contains($0.key) }.map(\.number))
                let header =
                    path.hasPrefix("Sources/KithModel/") || text.contains("import KithModel\n")
                    ? "" : "import KithModel; "
                let source = MutatedSource(
                    text, wraps: finder.wraps.filter { !dropped.contains($0.number) }, header: header)
                manifest.candidates += finder.candidates
                manifest.traces[path] = source.traces
                manifest.refused.formUnion(dropped)
                content = Data(source.text.utf8)
            } else if path == "Package.swift" {
                content = Data(package(String(decoding: content, as: UTF8.self)).utf8)
            }
            try write(content, to: path)
        }
        try write(
            Data(contentsOf: repository.appending(path: "Tests/Mutants/Switch/Mutant.swift")),
            to: "Sources/KithModel/Mutant.swift")
        try removeFiles(except: Set(files + ["Sources/KithModel/Mutant.swift"]))
        try state.write(manifest)
        return manifest
    }

    /// The package without the program and its tests, which take long to build. Mutants make code that is never
    /// reached, and other reasons for warnings; an expression that takes long to understand is refused. What is checked in
    /// a build for debugging is checked in this one, too. The tests are not optimised: that would take longer than it
    /// saves.
    private func package(_ text: String) -> String {
        let flags =
            ##".unsafeFlags(["-Xfrontend", "-solver-expression-time-threshold=60", "-assert-config", "Debug"])"##
        let quiet = text.replacing("    .treatAllWarnings(as: .error),\n", with: "    \(flags),\n")
        return quiet + """

            let unneeded: Set = [
                "KithCommand", "KithCommandTests", "ProcessTests", "KithLoad", "HouseTests", "TestProgram", "OPRFTests",
                "PhoneNumbersTests", "KithSimulation", "Demo",
            ]
            package.targets.removeAll { unneeded.contains($0.name) }
            package.products.removeAll { $0.name == "kith" }
            for target in package.targets where target.type == .test {
                target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
            }

            """
    }

    private func write(_ content: Data, to path: String) throws {
        let place = copy.appending(path: path)
        if let there = try? Data(contentsOf: place), there == content { return }
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: place)
        let original = repository.appending(path: path).path(percentEncoded: false)
        let mode = try? FileManager.default.attributesOfItem(atPath: original)[.posixPermissions]
        try FileManager.default.setAttributes(
            [.posixPermissions: mode ?? 0o644], ofItemAtPath: place.path(percentEncoded: false))
    }

    /// Everything that belongs to the repository, committed or not.
    private func repositoryFiles() throws -> [String] {
        let listed = try Command.output([
            "git", "-C", repository.path(percentEncoded: false), "ls-files", "--cached", "--others",
            "--exclude-standard",
        ])
        return listed.split(separator: "\n").map(String.init).filter { path in
            let place = repository.appending(path: path).path(percentEncoded: false)
            return !path.hasPrefix("Snippets/") && FileManager.default.fileExists(atPath: place)
        }
    }

    private func removeFiles(except known: Set<String>) throws {
        for folder in ["Sources", "Tests"] {
            let paths = try FileManager.default.subpathsOfDirectory(
                atPath: copy.appending(path: folder).path(percentEncoded: false))
            for path in paths where path.hasSuffix(".swift") && !known.contains("\(folder)/\(path)") {
                try FileManager.default.removeItem(at: copy.appending(path: "\(folder)/\(path)"))
            }
        }
    }
}
