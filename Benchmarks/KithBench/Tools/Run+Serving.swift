import Foundation

extension Run {
    /// Starts `kith serve` on a new database or on `database`.
    func serve(_ database: URL? = nil, environment: [String: String] = [:]) throws -> KithServe {
        try KithServe(
            kith, database: database ?? folder.appending(path: "\(UUID().uuidString).sqlite"), environment: environment)
    }
}
