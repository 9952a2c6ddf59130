import Foundation

extension ServerConfiguration {
    /// The settings of the apps that open this server's links.
    static let appSettings: [Setting] = [
        Setting(
            "apple-app", "The apps for Apple’s systems that open links, separated by commas (none).",
            "an app id such as TEAMID.com.example.groceries", \.apps.appleIDs
        ) {
            list($0) { $0.wholeMatch(of: /[A-Z0-9]{10}(\.[A-Za-z0-9-]+)+/).map { String($0.0) } }
        },
        Setting(
            "android-app", "The app for Android that opens links (none).",
            "a package name such as com.example.groceries", optional: \.apps.androidPackage
        ) {
            $0.wholeMatch(of: /[A-Za-z]\w*(\.[A-Za-z]\w*)+/.asciiOnlyWordCharacters()).map { String($0.0) }
        },
        Setting(
            "android-certificate", "The SHA-256 of the certificates of that app, separated by commas (none).",
            "32 hexadecimal bytes with colons, as keytool prints them", \.apps.androidCertificates
        ) {
            list($0.uppercased()) { $0.wholeMatch(of: /[0-9A-F]{2}(:[0-9A-F]{2}){31}/).map { String($0.0) } }
        },
        Setting("app-page", "The page where people get the app (none).", "an https URL", optional: \.apps.page) {
            guard let url = URL(string: $0), url.scheme == "https", url.host()?.isEmpty == false else { return nil }
            return $0
        },
    ]
}
