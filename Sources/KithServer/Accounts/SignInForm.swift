import KithModel

/// Checks the members that several requests about signing in have.
enum SignInForm {
    /// The most Unicode scalars in a name. One character can have any number of them; a family of four has seven.
    private static let scalars = 4 * Limits.deviceName

    /// Checks the name of a device.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if the name is too long, or has a NUL character.
    static func check(device name: String?) throws(ServerError) {
        try check(name, of: "The name of the device", path: "$.device")
    }

    /// Checks the name of a device or a passkey. PostgreSQL cannot store a NUL character.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`, and a sentence that begins with `subject`.
    static func check(_ name: String?, of subject: String, path: String) throws(ServerError) {
        guard let name else { return }
        guard name.unicodeScalars.count <= scalars, name.count <= Limits.deviceName else {
            throw ServerError(.malformed, "\(subject) has more than \(Limits.deviceName) characters.", path: path)
        }
        guard !name.utf8.contains(0) else {
            throw ServerError(.malformed, "\(subject) has a NUL character. Remove it.", path: path)
        }
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
