package import Foundation

extension Locale {
    /// What a locale is used for.
    package enum Purpose {
        case order, numbers

        /// The POSIX variable for this purpose (IEEE Std 1003.1, section 8.2).
        fileprivate var variable: String {
            switch self {
            case .order: "LC_COLLATE"
            case .numbers: "LC_TELEPHONE"
            }
        }
    }

    /// The user's locale.
    ///
    /// On Apple platforms and Android it is the one in the settings. Elsewhere it comes from the environment, which
    /// Foundation ignores: the first non-empty of `LC_ALL`, the variable for the purpose, and `LANG`.
    package static func user(
        of purpose: Purpose, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Locale {
        #if canImport(Darwin) || os(Android)
            return .autoupdatingCurrent
        #else
            let values = ["LC_ALL", purpose.variable, "LANG"].compactMap { environment[$0] }
            // Cuts off the charset and the modifier, as in `de_AT.UTF-8@euro`.
            let name = values.first { !$0.isEmpty }?.prefix { $0 != "." && $0 != "@" } ?? ""
            return ["", "C", "POSIX"].contains(name) ? Locale(identifier: "en_001") : Locale(identifier: String(name))
        #endif
    }
}
