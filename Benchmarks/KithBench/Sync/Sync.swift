import Foundation

/// Measures editing, reading and syncing lists, each compared with SQLite alone. Times are medians over many runs.
func measureSync(in folder: URL) throws {
    let table = Table("what", "Kith", "floor: SQLite’s C API", "ratio")
    try EditsAndReads(folder: folder).measure(into: table)
    try Reading(records: 1_000, folder: folder).measure(into: table)
    try Reading(records: 100_000, folder: folder).measure(into: table)
    try Reading(records: 1, folder: folder).measureLists(100, into: table)
    try Reading(records: 1, folder: folder).measureLists(999, into: table)
}
