package import KithModel

/// The operators who may open the operator's pages, and their sessions.
///
/// A password is made by the server, shown once, and stored as a hash.
package struct OperatorService: Sendable {
    private let database: any Database
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - random: The source of random bytes.
    package init(database: any Database, random: RandomBytes = .system) {
        (self.database, self.random) = (database, random)
    }

    /// The operators, sorted by their names.
    package func list() async throws -> [OperatorRow] {
        try await database.read { try OperatorRow.all(in: $0) }
    }

    /// Adds an operator.
    ///
    /// - Returns: The password.
    /// - Throws: ``ServerError`` with the code `conflict` if there is one with the name.
    package func add(_ name: OperatorName, at now: Timestamp) async throws -> String {
        let (password, hash) = try makePassword()
        let isNew = try await database.write { try OperatorRow(name, hash, at: now).insert(in: $0) }
        if isNew { return password }
        throw ServerError(
            .conflict,
            """
            There is an operator “\(name.text)” already. For a new password: kith admin operator password \(name.text)
            """)
    }

    /// Makes a new password, and ends the sessions of the operator.
    ///
    /// - Returns: The password.
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such operator.
    package func renewPassword(of name: OperatorName, at now: Timestamp) async throws -> String {
        let (password, hash) = try makePassword()
        try await database.write { transaction in
            guard try OperatorRow.setPassword(hash, of: name, at: now, in: transaction) else {
                throw ServerError.unknownOperator(name)
            }
            try OperatorSessionTable.endAll(of: name, in: transaction)
        }
        return password
    }

    /// Removes an operator, and ends the sessions.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such operator.
    package func remove(_ name: OperatorName) async throws {
        try await database.write { transaction in
            guard try OperatorRow.remove(name, in: transaction) else { throw ServerError.unknownOperator(name) }
            try OperatorSessionTable.endAll(of: name, in: transaction)
        }
    }

    /// The password in groups of five characters, and its hash.
    private func makePassword() throws -> (text: String, hash: PasswordHash) {
        let password = RecoveryCode(random: random)
        guard let hash = PasswordHash(of: password.characters) else { throw ServerError.noMemory }
        return (password.text, hash)
    }

    // MARK: Signing in

    /// Signs in.
    ///
    /// - Parameters:
    ///   - name: The name, as it was typed.
    ///   - password: The password, as it was typed: in upper or lower case, with or without hyphens.
    ///   - network: The network of the browser.
    ///   - now: The server's time.
    /// - Returns: The token of a new session; nil if the name or the password is wrong.
    /// - Throws: ``ServerError`` with the code `quotaExceeded` if there were too many attempts.
    package func signIn(
        _ name: String, password: String, from network: ClientNetwork, at now: Timestamp
    ) async throws -> String? {
        guard let name = OperatorName(name), let typed = RecoveryCode(typed: password) else { return nil }
        let row = try await database.write { transaction in
            let hash = try MessageSecret(in: transaction, random: random).hash(of: network)
            try OperatorAttempts.take(from: hash, at: now, in: transaction)
            return try OperatorRow.find(name, in: transaction)
        }
        let hash = row?.password ?? .ofNothing
        guard hash.fits(typed.characters), row != nil else { return nil }
        let token = random.token()
        let isOpen = try await database.write { transaction in
            // The password may have changed in the meantime.
            guard try OperatorRow.find(name, in: transaction)?.password == hash else { return false }
            try OperatorSessionTable.insert(token, of: name, at: now, in: transaction)
            return true
        }
        return isOpen ? token : nil
    }

    /// The operator with the session of a token; nil if there is none.
    package func find(_ token: String, at now: Timestamp) async throws -> OperatorName? {
        try await database.read { try OperatorSessionTable.find(token, at: now, in: $0) }
    }

    /// Ends the session of a token.
    package func signOut(_ token: String) async throws {
        try await database.write { try OperatorSessionTable.end(token, in: $0) }
    }
}

extension ServerError {
    fileprivate static func unknownOperator(_ name: OperatorName) -> ServerError {
        ServerError(
            .notFound, "There is no operator “\(name.text)”. `kith admin operator list` shows those there are.")
    }

    fileprivate static let noMemory = ServerError(
        .busy, "There is not enough memory to hash a password. Try again later.", retryAfter: .seconds(60))
}
