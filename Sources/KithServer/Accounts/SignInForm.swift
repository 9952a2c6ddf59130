import KithModel

/// Checks the members that several requests about signing in have.
enum SignInForm {
    /// The most Unicode scalars in a name. One character can have any number of them; a family of four has seven.
    private static let scalars = 4 * Limits.deviceName

    /// Checks the name of a device.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if the name is too long.
    static func check(device name: String?) throws(ServerError) {
        guard isName(name) else {
            throw ServerError(
                .malformed, "The name of the device has more than \(Limits.deviceName) characters.", path: "$.device")
        }
    }

    /// Whether a name of a device or a passkey is short enough.
    static func isName(_ name: String?) -> Bool {
        guard let name else { return true }
        return name.unicodeScalars.count <= scalars && name.count <= Limits.deviceName
    }

    /// Checks the languages of a message.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if there are too many, or one is not a tag.
    static func check(languages: [String]?) throws(ServerError) {
        let languages = languages ?? []
        guard languages.count <= Limits.languages, languages.allSatisfy({ (1...35).contains($0.utf8.count) }) else {
            throw ServerError(
                .malformed, "There are more than \(Limits.languages) languages, or one is not a language tag.",
                path: "$.languages")
        }
    }
}
