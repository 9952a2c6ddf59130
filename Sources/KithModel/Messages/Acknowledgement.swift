/// A mutation's number and the server's hash of its content. The hash distinguishes two devices with the same identity.
package struct Acknowledgement: Hashable, Sendable, Codable {
    /// The mutation's number; 0 before the first.
    package var number: Int64
    /// The server's hash of the mutation; empty for number 0. Opaque to the device.
    package var hash: String

    /// Creates an acknowledgement with these properties.
    package init(number: Int64, hash: String) {
        self.number = number
        self.hash = hash
    }

    /// The state before the first acknowledgement.
    package static let none = Acknowledgement(number: 0, hash: "")
}
