import KithModel

/// Sends and checks codes for web pages. The pages draw what has become of a request.
struct WebCodes: Sendable {
    /// What has become of a request for a code.
    enum Sent: Sendable {
        /// The code is on its way.
        case sent
        /// It was requested too soon after another one, which can still be entered. The ticket is that of the other one.
        case tooSoon(PageTicket, ServerError)
        /// None was sent, because of the email or the number, or of a limit.
        case refused(ServerError)
    }

    /// What has become of a code that somebody has entered.
    enum Checked: Sendable {
        /// It is right.
        case proved(ProvedIdentity)
        /// Nobody has requested it with this ticket.
        case lost
        /// It is wrong, or cannot be checked now.
        case refused(ServerError)
    }

    /// The codes of the server.
    let service: CodeService

    /// Sends a code. A request with a known ticket sends nothing again. If it is too soon for another code, the requester's
    /// last one for the identity is found, also if its page is lost.
    ///
    /// - Parameters:
    ///   - identity: Where to send it.
    ///   - device: The name of the device, for the message.
    ///   - ticket: The ticket of the form, which names the code.
    ///   - last: The ticket of the code that was sent before, if the form has it.
    ///   - visitor: Who is in front of the page.
    ///   - requester: Who alone can check the code.
    ///   - account: The account that gets the identity if no account has it.
    ///   - now: The server's time.
    /// - Returns: What has become of it.
    /// - Throws: ``ServerError`` for another reason, with the code `busy` for example.
    func send(
        to identity: Identity, device: String, _ ticket: PageTicket, after last: PageTicket?,
        for visitor: BrowserVisitor, by requester: Requester, account: AccountID, at now: Timestamp
    ) async throws -> Sent {
        let request = CodeRequest(
            id: ticket.code, identity: identity, languages: Array(visitor.languages.prefix(Limits.languages)),
            device: device)
        do {
            _ = try await service.send(request, by: requester, for: account, at: now)
            return .sent
        } catch let error as ServerError where error.isAboutCodes || error.isAboutCountry(of: identity) {
            guard error.code == .tooFast else { return .refused(error) }
            if let last { return .tooSoon(last, error) }
            let waiting = try await service.waiting(for: request, by: requester, at: now)
            return waiting.map { Sent.tooSoon(PageTicket(of: $0), error) } ?? .refused(error)
        }
    }

    /// Checks the code that was sent with a ticket.
    ///
    /// - Throws: ``ServerError`` if it is neither right nor wrong, with the code `busy` for example.
    func check(
        _ code: String, _ ticket: PageTicket, by requester: Requester, at now: Timestamp
    ) async throws -> Checked {
        do {
            return .proved(try await service.check(code, of: ticket.code, by: requester, at: now))
        } catch let error as ServerError where error.code == .notFound {
            return .lost
        } catch let error as ServerError where error.isAboutCodes {
            return .refused(error)
        }
    }
}

extension ServerError {
    /// Whether the server sends no codes to the country of a number. The code `forbidden` about an email says that the server
    /// sends no emails, which no form can change.
    fileprivate func isAboutCountry(of identity: Identity) -> Bool { code == .forbidden && !identity.isEmail }
}
