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
    var processorTime: Duration {
        // The name of the program is in parentheses. The times of user and system are the 12th and 13th field after it.
        let fields = text(of: "stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return .zero }
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
