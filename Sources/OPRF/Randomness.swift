import CSodium

enum Randomness {
    /// 64 random bytes from the operating system.
    static func system() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        randombytes_buf(&bytes, bytes.count)
        return bytes
    }
}
