import Foundation

/// Another program that reads vCards. `./bench` installs or builds it.
struct Peer {
    let command: [String]

    /// The reader of Evolution, written in C (Debian's libebook-contacts).
    static let evolution = Peer(command: [".build/peers/evolution"])
    /// vobject, the most widely used reader in Python.
    static let vobject = Peer(command: [".build/peers/bin/python", "Benchmarks/Peers/vobject_speed.py"])

    /// The output of the program; nil if it is not installed.
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

    /// The processor time to read a file, without the start of the program. The program reports it. nil if it is not
    /// installed.
    func time(toRead file: URL) throws -> Duration? {
        guard let output = try output(file.path(percentEncoded: false)) else { return nil }
        let words = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count > 1, words.last == "s", let seconds = Double(words[words.count - 2]) else {
            fatalError("\(command[0]) says no time: \(words.joined(separator: " "))")
        }
        return .seconds(seconds)
    }
}
