import KithModel

/// Checks the members that several requests about signing in have.
enum SignInForm {
    /// Checks the name of a device.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if the name is too long.
    static func check(device name: String?) throws(ServerError) {
        guard (name?.count ?? 0) <= Limits.deviceName else {
            throw ServerError(
                .malformed, "The name of the device has more than \(Limits.deviceName) characters.", path: "$.device")
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
