package import KithServer

extension QRCode {
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
}

extension Console {
    /// The lines that draw the QR code of a text; empty if the text is too long for one.
    func lines(ofQRCode text: String) -> [String] { QRCode(text)?.lines(isColoured: outputIsTerminal) ?? [] }
}
