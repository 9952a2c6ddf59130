import CDeflate
package import Foundation

/// Compression of whole bodies with gzip (RFC 1952), by libdeflate: in a third of zlib's time, a page of records becomes a
/// tenth smaller.
package enum Gzip {
    /// The minimum size of a body that is compressed, in bytes. Compressing a smaller body saves nothing.
    package static let threshold = 1024

    package enum Fault: Error {
        /// The bytes are not gzip, or end too early.
        case damaged
        /// The expanded data is larger than the limit.
        case tooLarge
        /// More bytes follow after the end.
        case trailing
    }

    /// The level of compression. Higher levels save less than a hundredth, and take several times as long.
    private static let level: Int32 = 6

    /// Compresses a whole body.
    package static func compress(_ data: Data) throws(Fault) -> Data {
        guard let compressor = libdeflate_alloc_compressor(level) else { throw .damaged }
        defer { libdeflate_free_compressor(compressor) }
        let room = libdeflate_gzip_compress_bound(compressor, data.count)
        let output = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 1)
        defer { output.deallocate() }
        let size = data.withUnsafeBytes {
            libdeflate_gzip_compress(compressor, $0.baseAddress, $0.count, output, room)
        }
        guard size > 0 else { throw .damaged }
        return Data(bytes: output, count: size)
    }

    /// Expands compressed data.
    ///
    /// - Parameters:
    ///   - data: A complete gzip file with one member.
    ///   - limit: The maximum size of the expanded data.
    /// - Returns: The expanded data.
    /// - Throws: ``Fault``.
    package static func expand(_ data: Data, limit: Int) throws(Fault) -> Data {
        guard let decompressor = libdeflate_alloc_decompressor() else { throw .damaged }
        defer { libdeflate_free_decompressor(decompressor) }
        // Data that ends too early expands to some bytes too many before the fault is found.
        let most = limit + (32 << 10)
        // The size is unknown until the end.
        var room = min(most, max(4 * data.count, 4096))
        while true {
            switch expand(data, by: decompressor, room: room) {
            case .whole(let output, let used):
                if output.count > limit { throw .tooLarge }
                if used < data.count { throw .trailing }
                return output
            case .larger where room == most: throw .tooLarge
            case .larger: room = min(most, room * 4)
            case .damaged: throw .damaged
            }
        }
    }

    private enum Expansion {
        /// The expanded data, and how many compressed bytes it took.
        case whole(Data, used: Int)
        /// It needs more room.
        case larger
        case damaged
    }

    private static func expand(_ data: Data, by decompressor: OpaquePointer, room: Int) -> Expansion {
        let output = UnsafeMutableRawPointer.allocate(byteCount: max(room, 1), alignment: 1)
        defer { output.deallocate() }
        var (used, size) = (0, 0)
        let result = data.withUnsafeBytes {
            libdeflate_gzip_decompress_ex(decompressor, $0.baseAddress, $0.count, output, room, &used, &size)
        }
        switch result {
        case LIBDEFLATE_SUCCESS: return .whole(Data(bytes: output, count: size), used: used)
        case LIBDEFLATE_INSUFFICIENT_SPACE: return .larger
        default: return .damaged
        }
    }
}
