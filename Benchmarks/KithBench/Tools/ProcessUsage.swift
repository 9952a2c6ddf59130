import Foundation

/// What a process uses, as the system reports it.
struct ProcessUsage {
    /// The number of the process; nil for this one.
    var process: Int32?

    /// The most resident memory that the process has had, in bytes; 0 if it is not known.
    var peakMemory: Int { memory("VmHWM:") }

    /// The resident memory that the process has now, in bytes; 0 if it is not known.
    var residentMemory: Int { memory("VmRSS:") }

    /// The processor time that the process has used since its start; zero if it is not known.
    var processorTime: Duration { time(of: fields, at: 11) }

    /// The processor time of the process and of its children, of those that have ended too; zero if it is not known.
    ///
    /// The children of a child that runs do not count.
    var processorTimeWithChildren: Duration {
        let own = fields
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        let parent = process ?? getpid()
        return numbers.reduce(time(of: own, at: 11) + time(of: own, at: 13)) { sum, number in
            let child = ProcessUsage(process: number).fields
            return child.count > 1 && Int32(child[1]) == parent ? sum + time(of: child, at: 11) : sum
        }
    }

    /// What the system reports of the process, after the name of the program, which is in parentheses.
    ///
    /// The second field is the parent. The 12th and 13th are the times of user and system, the 14th and 15th those of
    /// the children that have ended.
    private var fields: [Substring] { text(of: "stat").split(separator: ")").last?.split(separator: " ") ?? [] }

    /// The sum of two fields with times.
    private func time(of fields: [Substring], at index: Int) -> Duration {
        guard fields.count > index + 1, let user = Int(fields[index]), let system = Int(fields[index + 1]) else {
            return .zero
        }
        return .seconds(user + system) / sysconf(Int32(_SC_CLK_TCK))
    }

    private func memory(_ field: String) -> Int {
        let line = text(of: "status").split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
    }

    private func text(of file: String) -> String {
        let name = process.map(String.init) ?? "self"
        return (try? String(contentsOfFile: "/proc/\(name)/\(file)", encoding: .utf8)) ?? ""
    }
}
