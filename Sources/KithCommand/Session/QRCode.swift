import CQRCode

/// A QR code (ISO/IEC 18004) that libqrencode makes: its modules, and the lines that draw it in a terminal.
package struct QRCode: Hashable, Sendable {
    /// The width of the light margin around the code, in modules (ISO/IEC 18004, section 6.3.8).
    package static let quietZone = 4

    /// The number of modules in a row, which is also the number of rows.
    package let width: Int
    /// Whether each module is dark, row by row from the top.
    package let modules: [Bool]

    /// The code of a text, with error correction of level M: a reader can restore 15 % of the code. nil if the text is empty
    /// or has more than 2,331 bytes.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        // Version 0 chooses the smallest one.
        guard !bytes.isEmpty, let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            return nil
        }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        // The lowest bit of a byte is the module (qrencode.h).
        modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    }

    /// The code with its margin, as lines of half blocks. Each line draws two rows.
    ///
    /// - Parameter isColoured: Whether the lines set black and white themselves, so that the code looks the same on a
    ///   dark and on a light terminal. Without colours, the lines fit a dark terminal: blocks are the light modules.
    /// - Returns: The lines, from the top.
    package func lines(isColoured: Bool) -> [String] {
        let range = -Self.quietZone..<width + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let blocks = range.map { column -> Character in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (true, true): " "
                case (false, true): "▀"
                case (true, false): "▄"
                case (false, false): "█"
                }
            }
            // White (231) on black (16). Themes do not change these of the 256 colours.
            return isColoured ? "\u{1B}[38;5;231;48;5;16m\(String(blocks))\u{1B}[0m" : String(blocks)
        }
    }

    /// Whether a module is dark. Modules outside of the code are light.
    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
    }
}
