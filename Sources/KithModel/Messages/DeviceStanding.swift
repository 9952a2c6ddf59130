/// Whether the server and a device agree about the device's numbers.
package enum DeviceStanding: String, Hashable, Sendable, Codable {
    /// They agree; the round was completed.
    case recognised
    /// A number was reused with other content: this replica is a copy of another. Nothing was applied; the device takes
    /// a new identity.
    case copied
    /// The server has fewer mutations than it had acknowledged: it was restored. Nothing was applied; the device
    /// resends what follows `acknowledged`.
    case forgotten
}
