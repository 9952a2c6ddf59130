/// Whether the server and a device agree about the numbers of the device's mutations.
package enum DeviceStanding: String, Hashable, Sendable, Codable {
    /// They agree; the round was completed.
    case recognised
    /// A number was reused with other content, so this replica is a copy of another. Nothing was applied; the device
    /// takes a new device identity.
    case copied
    /// The server lacks mutations that it had acknowledged, so it was restored. Nothing was applied; the device resends
    /// the mutations after `acknowledged`.
    case forgotten
}
