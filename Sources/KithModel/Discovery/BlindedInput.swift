/// A blinded input. Only its element is sent to the server.
public struct BlindedInput: Sendable {
    /// The input. It stays on the device.
    public let input: [UInt8]
    /// The scalar that blinds the input, 32 bytes. It stays on the device and is used only once.
    public let blind: [UInt8]
    /// The blinded element for the server: 32 bytes.
    public let element: [UInt8]

    /// Creates an input with its blind and its blinded element.
    public init(input: [UInt8], blind: [UInt8], element: [UInt8]) {
        self.input = input
        self.blind = blind
        self.element = element
    }
}
