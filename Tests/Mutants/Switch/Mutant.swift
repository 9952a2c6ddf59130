import Foundation

/// Which mutant this process is. `Scripts/mutants` puts this file into a copy of the sources; nobody ships it.
public enum Mutant {
    /// The number of the mutant, or 0 for the program as it was written.
    private static let chosen = Int(ProcessInfo.processInfo.environment["KITH_MUTANT"] ?? "") ?? 0

    // A file with a byte for each mutant, which becomes 1 where that mutant's place is reached. It is mapped once and never
    // unmapped; that two threads write the same 1 at once does no harm.
    nonisolated(unsafe) private static let reached: UnsafeMutablePointer<UInt8>? = {
        guard let path = ProcessInfo.processInfo.environment["KITH_MUTANTS_REACHED"] else { return nil }
        let file = open(path, O_RDWR)
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        guard file >= 0, size > 0 else { return nil }
        let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return bytes == MAP_FAILED ? nil : bytes?.assumingMemoryBound(to: UInt8.self)
    }()

    /// Whether the place of this number behaves as its mutant.
    @inline(__always) public static func isOn(_ number: Int) -> Bool {
        reached?[number] = 1
        return number == chosen
    }
}
