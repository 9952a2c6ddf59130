import Foundation

/// The computer on which a report was made.
package struct Machine: Codable, Hashable, Sendable {
    package let processor: String
    package let cores: Int
    /// In bytes.
    package let memory: Int
    package let system: String

    package init(processor: String, cores: Int, memory: Int, system: String) {
        self.processor = processor
        self.cores = cores
        self.memory = memory
        self.system = system
    }

    /// The computer that this program runs on.
    package static var current: Machine {
        let information = ProcessInfo.processInfo
        return Machine(
            processor: value(of: "model name", separator: ":", in: "/proc/cpuinfo") ?? "an unknown processor",
            cores: information.activeProcessorCount, memory: Int(information.physicalMemory),
            system: value(of: "PRETTY_NAME", separator: "=", in: "/etc/os-release")
                ?? information.operatingSystemVersionString)
    }

    private static func value(of key: String, separator: Character, in file: String) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            guard let place = line.firstIndex(of: separator) else { continue }
            return line[line.index(after: place)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
        }
        return nil
    }
}

extension Machine: CustomStringConvertible {
    package var description: String { "\(processor), \(cores) cores, \(Amount.bytes(Double(memory))), \(system)" }
}
