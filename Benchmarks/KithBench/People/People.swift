import Foundation

/// Measures profiles with many contacts and large networks, each compared with SQLite alone. Times are medians over
/// many runs.
func measurePeople(in folder: URL) async throws {
    let table = Table("what", "Kith", "floor: SQLite’s C API", "ratio")
    let circle = try await Circle(1_000, folder: folder.appending(path: "profile"), isDurable: true)
    try circle.measureProfile(into: table)
    let large = try await Circle(10_000, folder: folder.appending(path: "roster"), isDurable: false)
    try await large.measureRoster(into: table)
}
