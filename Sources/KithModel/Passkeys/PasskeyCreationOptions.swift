/// The parameters with which a device creates a passkey: `PublicKeyCredentialCreationOptionsJSON` of WebAuthn Level 3, section 5.1.
///
/// Its JSON can be passed to `PublicKeyCredential.parseCreationOptionsFromJSON` in a browser and to
/// `CreatePublicKeyCredentialRequest` on Android. On Apple's systems, its properties are the parameters of
/// `ASAuthorizationPlatformPublicKeyCredentialProvider`.
public struct PasskeyCreationOptions: Hashable, Sendable, Codable {
    /// The service that the passkey is for.
    public struct RelyingParty: Hashable, Sendable, Codable {
        /// The domain of the service.
        public var id: String
        /// The name of the service, for people.
        public var name: String

        package init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    /// The account that the passkey is for.
    public struct User: Hashable, Sendable, Codable {
        /// The user handle: the bytes of the account's id.
        public var id: PasskeyBytes
        /// The account's email or number, or the name of the service. Devices show it in the list of passkeys.
        public var name: String
        /// The same as ``name``.
        public var displayName: String

        package init(id: PasskeyBytes, name: String) { (self.id, self.name, self.displayName) = (id, name, name) }
    }

    /// An accepted algorithm.
    public struct Parameter: Hashable, Sendable, Codable {
        /// The type, always `public-key`.
        public var type: String
        /// The number of the algorithm in COSE (RFC 9053).
        public var alg: Int

        package init(alg: Int) { (self.type, self.alg) = ("public-key", alg) }
    }

    /// The requirements for the device that stores the passkey.
    public struct Selection: Hashable, Sendable, Codable {
        /// Always `required`: the device offers the passkey without the name of an account.
        public var residentKey = "required"
        /// Always true, for devices that do not know ``residentKey``.
        public var requireResidentKey = true
        /// Always `required`: the device asks for a face, a fingerprint or a PIN.
        public var userVerification = "required"
    }

    /// The service.
    public var rp: RelyingParty
    /// The account.
    public var user: User
    /// The random bytes to sign. They are valid once.
    public var challenge: PasskeyBytes
    /// The accepted algorithms, best first.
    public var pubKeyCredParams: [Parameter]
    /// How long the device may wait for its user, in milliseconds.
    public var timeout: Int
    /// The passkeys that the account already has. A device that has one of them does not create another.
    public var excludeCredentials: [PasskeyDescriptor]
    /// The requirements for the device.
    public var authenticatorSelection: Selection
    /// Always `none`: the server does not ask for the model of the device.
    public var attestation: String

    package init(
        rp: RelyingParty, user: User, challenge: PasskeyBytes, algorithms: [Int], timeout: Duration,
        excluding known: [PasskeyBytes]
    ) {
        (self.rp, self.user, self.challenge) = (rp, user, challenge)
        self.pubKeyCredParams = algorithms.map(Parameter.init)
        self.timeout = Int(timeout.milliseconds)
        self.excludeCredentials = known.map(PasskeyDescriptor.init)
        self.authenticatorSelection = Selection()
        self.attestation = "none"
    }
}
