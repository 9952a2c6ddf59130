#if canImport(Security)
    import Foundation
    import Security

    /// Keeps secrets in the keychain of Apple's systems.
    public struct KeychainCredentialStore: CredentialStore {
        private let service: String
        private let accessGroup: String?
        private let isBackedUp: Bool

        /// - Parameters:
        ///   - service: The service name of the keychain entries, for example the app's bundle identifier.
        ///   - accessGroup: The access group of the entries, which the entitlements of the app and of its extensions name, so that
        ///     they share the tokens; nil for the default one, which an extension does not share. Tokens of another group are not
        ///     found, so an app that changes the group first copies each account's token from the former store.
        ///   - isBackedUp: Whether encrypted backups include the secrets that are saved from now on, so that a new phone has the
        ///     session of an anonymous account. Then two phones can have one session: if it ends on one, it ends on both.
        public init(service: String, accessGroup: String? = nil, isBackedUp: Bool = false) {
            (self.service, self.accessGroup, self.isBackedUp) = (service, accessGroup, isBackedUp)
        }

        /// The secret of this credential, or nil if there is none.
        public func secret(for credential: Credential) throws -> String? {
            var result: CFTypeRef?
            var query = query(for: credential)
            query[kSecReturnData] = true
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = result as? Data else { throw failure(status) }
            return String(decoding: data, as: UTF8.self)
        }

        /// Saves a secret that is readable after the first unlock. An old secret is replaced in one step, so that a
        /// crash leaves either of them.
        public func save(_ secret: String, for credential: Credential) throws {
            let query = query(for: credential)
            let content: [CFString: Any] = [
                kSecValueData: Data(secret.utf8),
                kSecAttrAccessible: isBackedUp
                    ? kSecAttrAccessibleAfterFirstUnlock : kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            func update() -> OSStatus { SecItemUpdate(query as CFDictionary, content as CFDictionary) }
            var status = update()
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(content) { $1 } as CFDictionary, nil)
                // Another process has added one meanwhile.
                if status == errSecDuplicateItem { status = update() }
            }
            guard status == errSecSuccess else { throw failure(status) }
        }

        /// Deletes a secret, if there is one.
        public func delete(_ credential: Credential) throws {
            try delete(query(for: credential))
        }

        /// Deletes the token of every session.
        public func deleteAllTokens() throws {
            try delete(entries(of: service))
        }

        /// Deletes every entry of a query. The file-based keychain of macOS deletes one entry a call.
        private func delete(_ query: [CFString: Any]) throws {
            var status = errSecSuccess
            while status == errSecSuccess { status = SecItemDelete(query as CFDictionary) }
            guard status == errSecItemNotFound else { throw failure(status) }
        }

        /// Secrets that are not session tokens have their own service names, so that all tokens can be deleted
        /// separately.
        private func query(for credential: Credential) -> [CFString: Any] {
            let service =
                switch credential {
                case .session, .signIn: service
                case .source: "\(service) sources"
                case .ended: "\(service) ended"
                }
            return entries(of: service).merging([kSecAttrAccount: credential.name]) { $1 }
        }

        private func entries(of service: String) -> [CFString: Any] {
            var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
            if let accessGroup {
                query[kSecAttrAccessGroup] = accessGroup
                // The other keychain of macOS has no access groups.
                query[kSecUseDataProtectionKeychain] = true
            }
            return query
        }

        private func failure(_ status: OSStatus) -> KithError {
            KithError(.credentials, "The keychain refused (status \(status)).")
        }
    }
#endif
