import Foundation

/// A source file with the switches of its mutants. Its lines are those of the original.
struct MutatedSource {
    /// What is put around a range of the original for one mutant.
    struct Wrap {
        let number: Int
        /// The range, in bytes of the original.
        let range: Range<Int>
        let before: String
        let after: String
    }

    /// Where the text before a wrapped range came to stand: what the compiler says of it, it says of this mutant.
    struct Trace: Codable {
        let number: Int
        /// The line, counted from 1.
        let line: Int
        /// The columns of the text that was put before the range, counted in bytes from 1.
        let columns: Range<Int>
        /// The last line of the wrapped range.
        let lastLine: Int
    }

    let text: String
    let traces: [Trace]

    /// The original with all wraps. Wider ranges are put around narrower ones, earlier wraps around later ones.
    init(_ original: String, wraps: [Wrap], header: String) {
        let bytes = Array(original.utf8)
        // A wrap that ends at an offset is closed before another one opens there: inner ones close first, outer ones open
        // first.
        let opening = wraps.indices.sorted {
            let (one, other) = (wraps[$0].range, wraps[$1].range)
            return (one.lowerBound, -one.upperBound, $0) < (other.lowerBound, -other.upperBound, $1)
        }
        let closing = wraps.indices.sorted {
            let (one, other) = (wraps[$0].range, wraps[$1].range)
            return (one.upperBound, -one.lowerBound, -$0) < (other.upperBound, -other.lowerBound, -$1)
        }
        var lines: [Int] = [1]
        for byte in bytes { lines.append(lines[lines.count - 1] + (byte == UInt8(ascii: "\n") ? 1 : 0)) }

        var output = Array(header.utf8)
        var traces: [Trace] = []
        var column = output.count + 1
        var (nextOpening, nextClosing) = (0, 0)
        func put(_ text: String) {
            output += Array(text.utf8)
            column += text.utf8.count
        }
        for offset in 0...bytes.count {
            while nextClosing < closing.count, wraps[closing[nextClosing]].range.upperBound == offset {
                put(wraps[closing[nextClosing]].after)
                nextClosing += 1
            }
            while nextOpening < opening.count, wraps[opening[nextOpening]].range.lowerBound == offset {
                let wrap = wraps[opening[nextOpening]]
                let start = column
                put(wrap.before)
                traces.append(
                    Trace(
                        number: wrap.number, line: lines[offset], columns: start..<column,
                        lastLine: lines[wrap.range.upperBound]))
                nextOpening += 1
            }
            guard offset < bytes.count else { break }
            output.append(bytes[offset])
            column = bytes[offset] == UInt8(ascii: "\n") ? 1 : column + 1
        }
        self.text = String(decoding: output, as: UTF8.self)
        self.traces = traces
    }
}
