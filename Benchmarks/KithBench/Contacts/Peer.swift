import Foundation

/// Another reader of vCards. `./bench` installs it and builds what is to be built.
struct Peer {
    let command: [String]

    /// Evolution's, which is written in C (Debian's libebook-contacts).
    static let evolution = Peer(command: [".build/peers/evolution"])
    /// The usual one of Python's.
    static let vobject = Peer(command: [".build/peers/bin/python", "Benchmarks/Peers/vobject_speed.py"])

    /// What it prints; nil if it is not here.
    func output(_ arguments: String..., input: URL? = nil) throws -> Data? {
        guard FileManager.default.isExecutableFile(atPath: command[0]) else { return nil }
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = command.dropFirst() + arguments
        if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.waitUntilExit() }
        return try output.fileHandleForReading.readToEnd() ?? Data()
    }

    /// The processor's time in which it reads a file; it says so itself, without its start. Nil if it is not here.
    func time(toRead file: URL) throws -> Duration? {
        guard let output = try output(file.path(percentEncoded: false)) else { return nil }
        let words = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count > 1, words.last == "s", let seconds = Double(words[words.count - 2]) else {
            fatalError("\(command[0]) says no time: \(words.joined(separator: " "))")
        }
        return .seconds(seconds)
    }
}
