import Foundation
import KithModel

/// A file that is open for reading, and is closed when the value is destroyed.
struct ReadableFile: ~Copyable {
    private let descriptor: Int32
    /// The identity of the file when it was opened.
    let identity: FileIdentity

    /// - Throws: `POSIXError`; `EISDIR` for anything but a plain file, such as a pipe, which could block.
    init(_ path: String) throws { try self.init(Array(path.utf8CString)) }

    /// The file at this path, a C string, which need not be valid UTF-8.
    init(_ path: [CChar]) throws {
        let descriptor = try checked(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
        do {
            let status = try FileStatus(of: descriptor)
            guard status.isPlainFile else { throw POSIXError(.EISDIR) }
            identity = FileIdentity(status)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The next bytes, at most `count`; none at the end.
    func read(_ count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            repeat { filled = readOnce(descriptor, into: buffer) } while filled < 0 && errno == EINTR
            if filled < 0 {
                filled = 0
                throw POSIXError.latest
            }
        }
    }

    /// The bytes at these offsets; fewer if the file ends before.
    func bytes(_ range: Range<Int>) throws -> [UInt8] { try Self.bytes(range, of: descriptor) }

    /// The bytes at these offsets of an open file; fewer if it ends before.
    static func bytes(_ range: Range<Int>, of descriptor: Int32) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + filled))
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else {
                    let error = POSIXError.latest
                    filled = 0
                    throw error
                }
                if count == 0 { return }
                filled += count
            }
        }
    }
}

extension POSIXError {
    /// The error of the last system call.
    static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

/// Calls `read` once. It is outside of the type, because a method of the type has the same name.
private func readOnce(_ descriptor: Int32, into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

/// Returns the result of a system call, or throws its error. Repeats the call if a signal interrupted it.
func checked(_ call: @autoclosure () -> Int32) throws -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw POSIXError.latest }
    }
}
