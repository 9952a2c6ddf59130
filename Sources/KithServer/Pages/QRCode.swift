import CQRCode
package import Foundation

/// A QR code (ISO/IEC 18004) that libqrencode makes: its modules, and the picture of them.
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

    /// Whether a module is dark. Modules outside of the code are light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
    }

    /// The width of the picture with its margin, in modules.
    package var pictureWidth: Int { width + 2 * Self.quietZone }

    /// The dark modules as the data of an SVG path, with one rectangle for each run of them in a row. A module is one unit
    /// wide, and the margin is left free.
    package var path: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while isDark(row, column) { column += 1 }
                let length = column - start
                if length > 0 {
                    path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
                }
                column += 1
            }
        }
        return path
    }

    /// The picture as a file in SVG: black on white.
    package var svg: Data {
        let size = pictureWidth
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges">\
            <rect width="\(size)" height="\(size)" fill="#fff"/><path d="\(path)"/></svg>

            """
        return Data(text.utf8)
    }
}
