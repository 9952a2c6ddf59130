import KithModel

/// The files with which a server names the apps that may open its links.
package enum AppAssociation {
    /// The paths of links below the server's public address.
    private static let paths = ["/v1/links/*", "/v1/invitations/*", "/v1/public/*", "/s/*", "/pair"]

    /// `apple-app-site-association` (Apple, “Supporting associated domains”).
    package struct Apple: Encodable, Sendable {
        struct Links: Encodable, Sendable { let details: [Detail] }
        struct Detail: Encodable, Sendable {
            let appIDs: [String]
            let components: [Component]
        }
        struct Component: Encodable, Sendable {
            let path: String
            enum CodingKeys: String, CodingKey { case path = "/" }
        }
        struct Credentials: Encodable, Sendable { let apps: [String] }

        let applinks: Links
        /// The apps that may use the passwords and passkeys of this server.
        let webcredentials: Credentials
    }

    /// One statement of `assetlinks.json` (Google, “Digital Asset Links”, version 1).
    package struct Android: Encodable, Sendable {
        struct Target: Encodable, Sendable {
            let namespace = "android_app"
            let packageName: String
            let certificates: [String]
            enum CodingKeys: String, CodingKey {
                case namespace
                case packageName = "package_name"
                case certificates = "sha256_cert_fingerprints"
            }
        }

        let relation = ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"]
        let target: Target
    }

    /// The file for Apple's systems.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such app.
    package static func apple(_ settings: AppSettings, root: String) throws(ServerError) -> Apple {
        guard !settings.appleIDs.isEmpty else { throw missing("apple-app") }
        let components = paths.map { Apple.Component(path: root + $0) }
        return Apple(
            applinks: .init(details: [.init(appIDs: settings.appleIDs, components: components)]),
            webcredentials: .init(apps: settings.appleIDs))
    }

    /// The file for Android.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such app.
    package static func android(_ settings: AppSettings) throws(ServerError) -> [Android] {
        guard let name = settings.androidPackage, !settings.androidCertificates.isEmpty else {
            throw missing("android-app and android-certificate")
        }
        return [Android(target: .init(packageName: name, certificates: settings.androidCertificates))]
    }

    private static func missing(_ setting: String) -> ServerError {
        ServerError(.notFound, "This server names no such app. The operator names it with the setting \(setting).")
    }
}
