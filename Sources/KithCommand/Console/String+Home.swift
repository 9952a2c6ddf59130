import Foundation

extension String {
    /// The path with `~` at its beginning replaced as a shell does it: by `HOME`, also if that is not the folder of the
    /// user.
    func expandingHome(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        guard self == "~" || hasPrefix("~/"), let home = environment["HOME"], !home.isEmpty else {
            return (self as NSString).expandingTildeInPath
        }
        return home + dropFirst()
    }
}
