import CSQLite

/// SQLite's use of memory, in the whole process.
package enum SQLiteMemory {
    /// Makes SQLite no longer count the memory that it uses.
    ///
    /// To count, SQLite takes a lock that all connections share, for each allocation and for each release. Threads that
    /// use different connections would wait for each other.
    ///
    /// Call it when the program starts: after the first use of SQLite it changes nothing.
    package static func stopCounting() { CSQLiteStopCountingMemory() }
}
