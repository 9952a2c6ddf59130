/// The apps that belong to a server, so that the system opens the server's links in them.
public struct AppSettings: Sendable {
    /// The ids of apps for Apple's systems: `TEAMID.com.example.groceries`.
    public var appleIDs: [String] = []
    /// The package name of the app for Android: `com.example.groceries`.
    public var androidPackage: String?
    /// The SHA-256 fingerprints of the certificates with which that app is signed, in hexadecimal digits with colons.
    public var androidCertificates: [String] = []
    /// The page where people get the app; nil if there is none.
    public var page: String?

    /// The defaults: no app.
    public init() {}
}
