import HTTPTypes

/// All operations of the API. `openapi.json` describes the same operations; a test compares the two.
package enum APIOperations {
    /// Every operation: its name, method and path, its permitted callers, and its handler.
    package static let all = [
        APIOperation("openSession", .post, "/v1/sessions", .newcomer(SessionOperations.open)),
        APIOperation("showSession", .get, "/v1/session", .session(SessionOperations.show)),
        APIOperation("closeSession", .delete, "/v1/session", .session(SessionOperations.close)),
        APIOperation("nameSession", .put, "/v1/session", .session(SessionOperations.name)),
        APIOperation("showSessions", .get, "/v1/sessions", .session(SessionOperations.list)),
        APIOperation("closeSessions", .delete, "/v1/sessions", .session(SessionOperations.closeAll)),
        APIOperation("revokeSession", .delete, "/v1/sessions/{session}", .session(SessionOperations.revoke)),
        APIOperation("showCountries", .get, "/v1/countries", .anyone(SignInOperations.showCountries)),
        APIOperation("sendCode", .post, "/v1/codes", .session(SignInOperations.sendCode)),
        APIOperation("checkCode", .post, "/v1/codes/{code}/check", .session(SignInOperations.checkCode)),
        APIOperation("showIdentities", .get, "/v1/identities", .session(SignInOperations.showIdentities)),
        APIOperation(
            "removeIdentity", .delete, "/v1/identities/{identity}", .session(SignInOperations.removeIdentity)),
        APIOperation("createRecoveryCodes", .post, "/v1/recovery-codes", .session(RecoveryOperations.create)),
        APIOperation("showRecoveryCodes", .get, "/v1/recovery-codes", .session(RecoveryOperations.show)),
        APIOperation("useRecoveryCode", .post, "/v1/recovery-codes/use", .session(RecoveryOperations.use)),
        APIOperation("makePairing", .post, "/v1/pairings", .session(PairingOperations.make)),
        APIOperation("showPairing", .get, "/v1/pairings/{pairing}", .session(PairingOperations.show)),
        APIOperation("endPairing", .delete, "/v1/pairings/{pairing}", .session(PairingOperations.end)),
        APIOperation("usePairing", .post, "/v1/pairings/use", .session(PairingOperations.use)),
        APIOperation("showPairingPage", .get, "/pair", .anyone(PageOperations.showPairing)),
        APIOperation("showPasskeys", .get, "/v1/passkeys", .session(PasskeyOperations.list)),
        APIOperation("removePasskey", .delete, "/v1/passkeys/{passkey}", .session(PasskeyOperations.remove)),
        APIOperation(
            "beginPasskey", .post, "/v1/passkeys/registrations", .session(PasskeyOperations.beginAdding)),
        APIOperation(
            "finishPasskey", .post, "/v1/passkeys/registrations/{ceremony}", .session(PasskeyOperations.finishAdding)),
        APIOperation(
            "showPasskeyOutcome", .get, "/v1/passkeys/registrations/{ceremony}", .session(PasskeyOperations.outcome)),
        APIOperation(
            "beginPasskeySignIn", .post, "/v1/passkeys/signins", .newcomer(PasskeyOperations.beginSignIn)),
        APIOperation(
            "finishPasskeySignIn", .post, "/v1/passkeys/signins/{ceremony}", .anyone(PasskeyOperations.finishSignIn)),
        APIOperation(
            "claimPasskeySignIn", .post, "/v1/passkeys/signins/{ceremony}/claim", .anyone(PasskeyOperations.claim)),
        APIOperation("openPasskeyPage", .post, "/v1/passkeys/page", .anyone(PasskeyOperations.openPage)),
        APIOperation(
            "respondInPasskeyPage", .post, "/v1/passkeys/page/response", .anyone(PasskeyOperations.respond)),
        APIOperation("showPasskeyPage", .get, "/passkey", .anyone(PasskeyOperations.page)),
        APIOperation("showPasskeyScript", .get, "/passkey.js", .anyone(PasskeyOperations.script)),
        APIOperation("showIssuers", .get, "/v1/issuers", .session(IssuerOperations.show)),
        APIOperation("beginSignIn", .post, "/v1/issuers/{issuer}/sign-ins", .session(IssuerOperations.begin)),
        APIOperation("finishSignIn", .post, "/v1/sign-ins", .session(IssuerOperations.finish)),
        APIOperation(
            "removeIssuerIdentity", .delete, "/v1/issuer-identities/{id}", .session(IssuerOperations.remove)),
        APIOperation("showStart", .get, "/", .anyone(SignInPageOperations.showStart), hasPages: true),
        APIOperation("showSignIn", .get, SignInPage.path, .browser(SignInPageOperations.show), hasPages: true),
        APIOperation("sendSignInForm", .post, SignInPage.path, .newcomer(SignInPageOperations.send), hasPages: true),
        APIOperation(
            "signInWithPasskey", .post, "\(SignInPage.path)/passkey", .anyone(SignInPageOperations.usePasskey),
            hasPages: true),
        APIOperation("showAccountPage", .get, AccountPage.path, .browser(AccountPageOperations.show), hasPages: true),
        APIOperation("sendAccountForm", .post, AccountPage.path, .browser(AccountPageOperations.send), hasPages: true),
        APIOperation(
            "exportAccount", .post, "\(AccountPage.path)/export", .browser(AccountPageOperations.export),
            hasPages: true),
        APIOperation(
            "showAccountDeletion", .get, "\(AccountPage.path)/delete", .browser(AccountPageOperations.showDeletion),
            hasPages: true),
        APIOperation(
            "confirmAccountDeletion", .post, "\(AccountPage.path)/delete", .browser(AccountPageOperations.delete),
            hasPages: true),
        APIOperation("deleteAccount", .delete, "/v1/account", .session(SessionOperations.deleteAccount)),
        APIOperation(
            "deleteAccountAndLists", .post, "/v1/account/deletion", .session(SessionOperations.deleteAccountAndLists)),

        APIOperation("sync", .post, "/v1/sync", .session(SyncOperations.sync)),
        APIOperation("live", .get, "/v1/live", .session(SyncOperations.live)),

        APIOperation("createLink", .post, "/v1/lists/{list}/links", .session(LinkOperations.create)),
        APIOperation("showLinks", .get, "/v1/lists/{list}/links", .session(LinkOperations.show)),
        APIOperation("revokeLink", .delete, "/v1/lists/{list}/links/{link}", .session(LinkOperations.revoke)),
        APIOperation("showRemoved", .get, "/v1/lists/{list}/removed", .session(LinkOperations.showRemoved)),
        APIOperation("letIn", .delete, "/v1/lists/{list}/removed/{account}", .session(LinkOperations.letIn)),
        APIOperation("previewLink", .get, "/v1/links/{token}", .anyone(LinkOperations.preview), hasPages: true),
        APIOperation(
            "sendLinkForm", .post, "/v1/links/{token}", .newcomer(PageOperations.sendLinkForm), hasPages: true),
        APIOperation("acceptLink", .post, "/v1/links/{token}/accept", .session(LinkOperations.accept)),
        APIOperation(
            "showPublicList", .get, "/v1/public/{token}", .anyone(PublicListOperations.show), hasPages: true),
        APIOperation(
            "tickPublicList", .post, "/v1/public/{token}", .anyone(PublicListOperations.tick), hasPages: true),
        APIOperation("watchPublicList", .get, "/v1/public/{token}/events", .anyone(PublicListOperations.watch)),
        APIOperation("showListScript", .get, PageFile.list.path, .anyone(PageOperations.show(.list))),

        APIOperation(
            "previewInvitation", .get, "/v1/invitations/{token}", .anyone(InvitationOperations.preview), hasPages: true),
        APIOperation(
            "sendInvitationForm", .post, "/v1/invitations/{token}", .newcomer(PageOperations.sendInvitationForm),
            hasPages: true),
        APIOperation(
            "acceptInvitation", .post, "/v1/invitations/{token}/accept", .session(InvitationOperations.accept)),

        APIOperation("showProgrammes", .get, "/v1/programmes", .session(SharingOperations.showProgrammes)),
        APIOperation("showSharePage", .get, "/s/{shareCode}", .anyone(SharingOperations.showPage), hasPages: true),
        APIOperation("showShareQRCode", .get, "/s/{shareCode}/qr.svg", .anyone(SharingOperations.showQRCode)),
        APIOperation(
            "showSharePicture", .get, "/s/{shareCode}/picture", .anyone(SharingOperations.showPicture)),

        APIOperation("showAccount", .get, "/v1/accounts/{account}", .session(PeopleOperations.show)),
        APIOperation(
            "showPicture", .get, "/v1/accounts/{account}/picture/{size}", .session(PeopleOperations.showPicture)),
        APIOperation("showPresence", .get, "/v1/accounts/{account}/presence", .session(PeopleOperations.showPresence)),
        APIOperation("putPicture", .put, "/v1/pictures/{sha256}", .session(PeopleOperations.putPicture)),
        APIOperation("searchDirectory", .get, "/v1/directory", .session(PeopleOperations.searchDirectory)),
        APIOperation("setPresence", .put, "/v1/presence", .session(PeopleOperations.setPresence)),

        APIOperation("showDiscovery", .get, "/v1/discovery", .session(DiscoveryOperations.show)),
        APIOperation("evaluate", .post, "/v1/discovery/evaluations", .session(DiscoveryOperations.evaluate)),
        APIOperation("showBuckets", .post, "/v1/discovery/buckets", .session(DiscoveryOperations.showBuckets)),
        APIOperation("showFilter", .get, "/v1/discovery/filter", .session(DiscoveryOperations.showFilter)),

        APIOperation(
            "showUnsubscribe", .get, "/unsubscribe/{token}", .anyone(MessageOperations.showUnsubscribe),
            hasPages: true),
        APIOperation(
            "unsubscribe", .post, "/unsubscribe/{token}", .anyone(MessageOperations.unsubscribe), hasPages: true),
        APIOperation("reportMessage", .post, "/v1/messages/status", .anyone(MessageOperations.report)),

        APIOperation("showStylesheet", .get, PageFile.style.path, .anyone(PageOperations.show(.style))),
        APIOperation("showIcons", .get, PageFile.icons.path, .anyone(PageOperations.show(.icons))),
        APIOperation("showPageIcon", .get, PageFile.icon.path, .anyone(PageOperations.show(.icon))),
        APIOperation("showSignInScript", .get, PageFile.signIn.path, .anyone(PageOperations.show(.signIn))),
        APIOperation("showCopyScript", .get, PageFile.copy.path, .anyone(PageOperations.show(.copy))),
        APIOperation("showBackScript", .get, PageFile.back.path, .anyone(PageOperations.show(.back))),
        APIOperation(
            "showAppleApps", .get, "/.well-known/apple-app-site-association", .anyone(PageOperations.showAppleApps)),
        APIOperation(
            "showAndroidApps", .get, "/.well-known/assetlinks.json", .anyone(PageOperations.showAndroidApps)),

        APIOperation(
            "showOperatorSignIn", .get, "/admin/sign-in", .anyone(OperatorPageOperations.showSignIn), hasPages: true),
        APIOperation(
            "signInOperator", .post, "/admin/sign-in", .newcomer(OperatorPageOperations.signIn), hasPages: true),
        APIOperation(
            "signOutOperator", .post, "/admin/sign-out", .anyone(OperatorPageOperations.signOut), hasPages: true),
        APIOperation("showFunnelPage", .get, "/admin", .operator(OperatorPageOperations.showFunnel), hasPages: true),
        APIOperation(
            "showFunnelTable", .get, "/admin/funnel.csv", .operator(OperatorPageOperations.showFunnelTable),
            hasPages: true),
        APIOperation(
            "showReferralsPage", .get, "/admin/referrals", .operator(OperatorPageOperations.showReferrals),
            hasPages: true),
        APIOperation(
            "decideReferrals", .post, "/admin/referrals", .operator(OperatorPageOperations.decideReferrals),
            hasPages: true),
        APIOperation(
            "showDeliveriesPage", .get, "/admin/deliveries", .operator(OperatorPageOperations.showDeliveries),
            hasPages: true),
        APIOperation(
            "sendDeliveriesAgain", .post, "/admin/deliveries", .operator(OperatorPageOperations.sendAgain),
            hasPages: true),
        APIOperation(
            "showHealthPage", .get, "/admin/health", .operator(OperatorPageOperations.showHealth), hasPages: true),

        APIOperation("health", .get, "/health", .monitoring(MonitoringOperations.health)),
        APIOperation("ready", .get, "/ready", .monitoring(MonitoringOperations.ready)),
        APIOperation("metrics", .get, "/metrics", .monitoring(MonitoringOperations.metrics)),
        APIOperation("description", .get, "/openapi.json", .monitoring(MonitoringOperations.description)),
    ]

    /// The methods that a path supports; empty if the path does not exist.
    static func methods(at path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let methods = all.filter { operation in
            let elements = operation.path.split(separator: "/", omittingEmptySubsequences: false)
            return elements.count == parts.count
                && zip(elements, parts).allSatisfy { PathParameters.accepts($1, as: $0) }
        }.map(\.method)
        return methods.contains(.get) ? methods + [.head] : methods
    }
}
