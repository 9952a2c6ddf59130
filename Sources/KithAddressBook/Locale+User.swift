package import Foundation

extension Locale {
    /// What a locale is asked for.
    package enum Purpose {
        case order, numbers

        /// The variable of POSIX that says so (IEEE Std 1003.1, section 8.2).
        fileprivate var variable: String {
            switch self {
            case .order: "LC_COLLATE"
            case .numbers: "LC_TELEPHONE"
            }
        }
    }

    /// The locale of whoever uses the device.
    ///
    /// On Apple's systems and Android they have chosen it in the settings. Elsewhere the environment has it, which
    /// Foundation does not look at: `LC_ALL`, else the variable for the purpose, else `LANG`, the first that is not empty.
    package static func user(
        of purpose: Purpose, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Locale {
        #if canImport(Darwin) || os(Android)
            return .autoupdatingCurrent
        #else
            let values = ["LC_ALL", purpose.variable, "LANG"].compactMap { environment[$0] }
            // `de_AT.UTF-8@euro`: what follows the language and the region is of no account here.
            let name = values.first { !$0.isEmpty }?.prefix { $0 != "." && $0 != "@" } ?? ""
            return ["", "C", "POSIX"].contains(name) ? Locale(identifier: "en_001") : Locale(identifier: String(name))
        #endif
    }
}
