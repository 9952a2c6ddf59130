import Foundation

extension ServerConfiguration {
    /// The settings of the apps that open this server's links.
    static let appSettings: [Setting] = [
        Setting(
            "apple-app", "The apps for Apple’s systems that open links, separated by commas (none).",
            "an app id such as TEAMID.com.example.groceries"
        ) {
            let ids = list($1)
            guard !ids.isEmpty, ids.allSatisfy({ $0.wholeMatch(of: /[A-Z0-9]{10}(\.[A-Za-z0-9-]+)+/) != nil }) else {
                return false
            }
            $0.apps.appleIDs = ids
            return true
        },
        Setting(
            "android-app", "The app for Android that opens links (none).",
            "a package name such as com.example.groceries"
        ) {
            guard $1.wholeMatch(of: /[A-Za-z]\w*(\.[A-Za-z]\w*)+/.asciiOnlyWordCharacters()) != nil else {
                return false
            }
            $0.apps.androidPackage = $1
            return true
        },
        Setting(
            "android-certificate", "The SHA-256 of the certificates of that app, separated by commas (none).",
            "32 hexadecimal bytes with colons, as keytool prints them"
        ) {
            let prints = list($1).map { $0.uppercased() }
            guard !prints.isEmpty, prints.allSatisfy({ $0.wholeMatch(of: /[0-9A-F]{2}(:[0-9A-F]{2}){31}/) != nil })
            else { return false }
            $0.apps.androidCertificates = prints
            return true
        },
        Setting("app-page", "The page where people get the app (none).", "an https URL") {
            guard let url = URL(string: $1), url.scheme == "https", url.host()?.isEmpty == false else { return false }
            $0.apps.page = $1
            return true
        },
    ]

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
