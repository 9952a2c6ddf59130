import CZlib
package import Foundation

/// Compression of bodies with gzip (RFC 1952), by the system's zlib.
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

    /// Compresses a whole body.
    package static func compress(_ data: Data) throws(Fault) -> Data {
        // zlib keeps the address of its stream, so the stream must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { throw .damaged }
        defer { deflateEnd(stream) }
        let bound = Int(deflateBound(stream, UInt(data.count)))
        guard let result = pump(stream, data, room: bound, through: { deflate($0, Z_FINISH) }), result.ended else {
            throw .damaged
        }
        return result.output
    }

    /// Expands compressed data.
    ///
    /// - Parameters:
    ///   - data: A complete gzip file with one member.
    ///   - limit: The maximum size of the expanded data.
    /// - Returns: The expanded data.
    /// - Throws: ``Fault``.
    package static func expand(_ data: Data, limit: Int) throws(Fault) -> Data {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .damaged
        }
        defer { inflateEnd(stream) }
        // One byte more than the limit distinguishes data of exactly that size from larger data.
        var room = min(limit + 1, max(4 * data.count, 4096))
        while true {
            guard let result = pump(stream, data, room: room, through: { inflate($0, Z_FINISH) }) else {
                throw .damaged
            }
            if result.output.count > limit { throw .tooLarge }
            if result.ended {
                if stream.pointee.avail_in > 0 { throw .trailing }
                return result.output
            }
            if result.output.count < room { throw .damaged }
            room = min(limit + 1, room * 4)
            inflateReset(stream)
        }
    }

    private static let level: Int32 = 6
    private static let memory: Int32 = 8
    /// The largest window, plus 16 for gzip's header and trailer.
    private static let window: Int32 = 15 + 16

    /// Passes a complete input through zlib.
    ///
    /// - Returns: The output, of at most `room` bytes, and whether it is complete; nil if the input is damaged.
    private static func pump(
        _ stream: UnsafeMutablePointer<z_stream>, _ data: Data, room: Int,
        through step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (output: Data, ended: Bool)? {
        var input = data
        var output = Data(count: room)
        let status = input.withUnsafeMutableBytes { source in
            output.withUnsafeMutableBytes { target in
                stream.pointee.next_in = source.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_in = UInt32(source.count)
                stream.pointee.next_out = target.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(target.count)
                return step(stream)
            }
        }
        output.count = room - Int(stream.pointee.avail_out)
        switch status {
        case Z_STREAM_END: return (output, true)
        case Z_OK, Z_BUF_ERROR: return (output, false)
        default: return nil
        }
    }
}
