/// The name of a session's device: `PUT /v1/session`.
package struct SessionName: Hashable, Sendable, Codable {
    /// At most ``Limits/deviceName`` characters; nil removes the name.
    package var device: String?

    package init(device: String?) { self.device = device }
}
