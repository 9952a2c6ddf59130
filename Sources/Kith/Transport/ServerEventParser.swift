import Foundation

/// Splits a byte stream into server-sent events.
struct ServerEventParser {
    private var line: [UInt8] = []
    private var name = ""
    private var data: [String] = []
    private var lastWasReturn = false

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [ServerEvent] {
        var events: [ServerEvent] = []
        for byte in bytes {
            defer { lastWasReturn = byte == UInt8(ascii: "\r") }
            if byte == UInt8(ascii: "\n") && lastWasReturn { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                if line.count < Self.longestLine { line.append(byte) }
                continue
            }
            if let event = end(String(decoding: line, as: UTF8.self)) { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    /// The maximum number of bytes of a line; the rest is dropped. Events of a Kith server have shorter lines.
    private static let longestLine = 1 << 20

    private mutating func end(_ line: String) -> ServerEvent? {
        if line.isEmpty {
            defer { (name, data) = ("", []) }
            return data.isEmpty
                ? nil : ServerEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
        }
        if line.hasPrefix(":") { return nil }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].drop(while: { $0 == " " }) : ""
        switch parts[0] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        default: break
        }
        return nil
    }
}
