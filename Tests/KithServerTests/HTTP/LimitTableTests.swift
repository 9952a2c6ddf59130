import Foundation
import KithModel
import KithServer
import Testing

@Suite("The tables of limits in Protocol.md") struct LimitTableTests {
    private struct Row {
        let what: String
        let number: String
    }

    private let rows: [Row]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "Documentation/Protocol.md"), encoding: .utf8)
        let start = try #require(page.range(of: "\n## Limits\n")).upperBound
        let end = try #require(page.range(of: "\n### Work\n", range: start..<page.endIndex)).lowerBound
        let cells = page[start..<end].split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        rows = cells.filter { $0.count == 3 && $0[0] != "what" && !$0[0].hasPrefix("---") }
            .map { Row(what: $0[0], number: $0[1]) }
    }

    /// The row that begins like this.
    private func row(_ start: String) -> Int? { rows.firstIndex { $0.what.hasPrefix(start) } }

    private func told(_ start: String) -> String? { row(start).map { rows[$0].number } }

    private static let numbers: [(start: String, limit: Int)] = [
        ofRequests, ofData, ofAnswers, ofPeople, ofMessages, ofCodes, ofIssuers, ofPasskeys, ofLoad,
    ].flatMap { $0 }

    @Test("Law 10: Every limit that the protocol names is the program's")
    func named() {
        for (start, limit) in Self.numbers {
            let words = told(start)?.split { !$0.isNumber && $0 != "," }.map {
                $0.trimmingCharacters(in: .punctuationCharacters)
            }
            let number = limit.formatted(.number.locale(Locale(identifier: "en_US")))
            #expect(words?.contains(number) == true, "“\(start)” has \(told(start) ?? "no row"), not \(number).")
        }
        #expect(told("a request's body") == "\(Limits.body >> 20) MiB")
        #expect(told("fields of an answer")?.hasPrefix("\(Limits.pageBytes >> 20) MiB") == true)
        #expect(told("buckets in an answer")?.hasPrefix("\(Limits.pageBytes >> 20) MiB") == true)
        #expect(told("the filter of a key") == "\(Limits.pageBytes >> 20) MiB")
        #expect(told("their bytes") == "\(Limits.carriedBytes >> 10) KiB")
        #expect(told("a sum") == "10¹² either way" && Limits.sum == 1_000_000_000_000)
        #expect(told("numbers of a device's mutations") == "2⁵³" && Limits.numbers.upperBound == 1 << 53)
        #expect(told("a declined request") == "a week" && Limits.declined == .days(7))
        let prefixes = PrefixLimits()
        #expect(told("the part of the last") == "a fifth" && prefixes.enteredCodes * 5 == prefixes.judgedCodes)
    }

    @Test("Law 10: No limit of the protocol is left out of the comparison, unless a list names it")
    func rowsAreKnown() {
        let words = [
            "a request's body", "fields of an answer", "buckets in an answer", "the filter of a key", "their bytes",
            "a sum", "numbers of a device's mutations", "a declined request", "the part of the last",
        ]
        let known = Set((Self.numbers.map { $0.start } + words + Self.unchecked).compactMap { row($0) })
        for (index, limit) in rows.enumerated() {
            #expect(known.contains(index), "“\(limit.what)” is not compared with the program.")
        }
        for start in Self.unchecked { #expect(row(start) != nil, "There is no row “\(start)”.") }
    }

    // MARK: The program's numbers

    private static func seconds(_ time: Duration) -> Int { Int(time / .seconds(1)) }
    private static func minutes(_ time: Duration) -> Int { Int(time / .seconds(60)) }
    private static func hours(_ time: Duration) -> Int { Int(time / .seconds(3600)) }
    private static func days(_ time: Duration) -> Int { Int(time / .days(1)) }
    private static func kibibytes(_ bytes: Int) -> Int { bytes >> 10 }
    private static func mebibytes(_ bytes: Int) -> Int { bytes >> 20 }

    private static let server = ServerLimits()

    private static let ofRequests: [(start: String, limit: Int)] = [
        ("mutations in a request", Limits.mutations),
        ("the time that a body", seconds(server.bodyTime)),
        ("the time that a request", seconds(server.bodyTime)),
        ("bytes of a body that are read after", mebibytes(server.drained)),
        ("bytes that a client sends during", kibibytes(ConnectionWatch.duringStream)),
        ("mutations in a group", Limits.group),
        ("combining marks", Limits.combiningMarks),
        ("an index key", Limits.indexKey),
        ("the age", days(Limits.age)),
        ("fields of newer versions in a mutation", Limits.unknownFields),
        ("fields of newer versions in a mutation", Limits.fieldName),
        ("fields of newer versions in a mutation", Limits.unknownField),
        ("nesting", Limits.nesting),
        ("blinded elements", Limits.evaluations),
        ("buckets in a request", Limits.buckets),
        ("bits of a bucket", Limits.bucketBits),
        ("bits of a bucket", Limits.bucketCrowd),
        ("a picture's large size", mebibytes(Limits.largePicture)),
        ("a picture's small size", kibibytes(Limits.smallPicture)),
        ("a name that is searched for", Limits.directoryName),
        ("a name that is searched for", Limits.directoryWords),
    ]

    private static let ofData: [(start: String, limit: Int)] = [
        ("lists of an account", Limits.lists),
        ("new lists of an account", Limits.listsADay),
        ("invitations of an account", Limits.invitationsADay),
        ("invitations from a network", Limits.invitationsOfNetworkADay),
        ("an invitation and its links", days(Limits.invitation)),
        ("shareables of an account", Limits.shareables),
        ("shares of an account", Limits.shares),
        ("channels of a programme", Limits.madeUpChannels),
        ("shares by email of an account", Limits.emailSharesADay),
        ("shares by email from a network", Limits.invitationsOfNetworkADay),
        ("codes that an account has used", Limits.claims),
        ("events of an account", Limits.sharingEventsADay),
        ("records of an account's", Limits.ownRecords),
        ("requests that wait", Limits.requests),
        ("bytes of an account's records", mebibytes(server.storageOfAccount)),
        ("records in a list", Limits.records),
        ("people in a list", Limits.members),
        ("live links", Limits.links),
        ("people that the owner", Limits.removedPeople),
        ("devices of", Limits.devices),
        ("sessions of an account", Limits.sessions),
        ("pictures of an account", Limits.pictures),
        ("a picture that no profile", days(Limits.unnamedPicture)),
        ("accounts whose last-seen time", PresenceRegister.unwritten),
        ("fields of newer versions in a record", Limits.carriedFields),
        ("what became", Int(Limits.remembered)),
        ("tombstones", days(Limits.tombstones)),
        ("numbers and emails of an account", Limits.identities),
        ("passkeys of an account", PasskeyLimits().ofAccount),
        ("what was evaluated", days(Limits.tombstones)),
        ("the key before", days(Limits.keyOverlap)),
        ("a device's log", days(Limits.log)),
    ]

    private static let ofAnswers: [(start: String, limit: Int)] = [
        ("records in an answer", Limits.page),
        ("entries of a bucket", Limits.bucketFloor),
        ("entries of a bucket", Limits.bucketCrowd),
        ("items of a list behind", Limits.page),
        ("items of a list on its web page", PublicListPage.items),
        ("items of a list on its web page", SharePage.items),
        ("friends, codes and rewards on the page of an account", SharingOverview.most),
        ("feeds that wait", LiveRegister.waiting),
        ("people that wait", PresenceRegister.waiting),
        ("people in one event", Limits.presences),
        ("people in an answer of the directory", Limits.directory),
        ("people that the directory compares", Limits.directoryCandidates),
    ]

    private static let ofPeople: [(start: String, limit: Int)] = [
        ("people that one account asks", Limits.requestsADay),
        ("a request that is sent again", hours(Limits.resend)),
        ("people and lists that get", ProfileFanout.step),
    ]

    private static let ofMessages: [(start: String, limit: Int)] = [
        ("messages with a link", MessageLimits().ofRecipient),
        ("codes to one address", MessageLimits().codesOfRecipient),
        ("notices about accounts", MessageLimits().noticesOfRecipient),
        ("messages on behalf", MessageLimits().ofSender),
        ("messages of a server", MessageLimits().inAll),
        ("attempts to send a message", seconds(DeliveryRules.pauses[0])),
        ("attempts to send a message", seconds(DeliveryRules.pauses[1])),
        ("a value of a message", MessageLimits.line),
        ("a value of a message", MessageLimits.text),
        ("a value of a message", MessageLimits.link),
        ("files of messages", MessageLimits.files),
        ("files of messages", days(MessageLimits.filesKept)),
        ("the body of a form", kibibytes(FormFields.limit)),
        ("the body of a form", kibibytes(PasskeySignInForm.limit)),
        ("the body of a form", kibibytes(MessageStatus.size)),
        ("the body of a form", kibibytes(ReferralsForm.limit)),
        ("SMS in an hour", PrefixLimits().messagesAnHour),
        ("SMS in an hour", PrefixLimits().unaskedAnHour),
        ("parts of SMS of a server", PhoneSettings().messagesADay),
        ("parts of an SMS with a code", MessageLimits.partsOfCode),
        ("parts of an SMS with an invitation", MessageLimits.partsOfSMS),
    ]

    private static let ofCodes: [(start: String, limit: Int)] = [
        ("the time for which a code", minutes(CodeLimits().lifetime)),
        ("checks of a code", CodeLimits().tries),
        ("checks of a code", minutes(CodeLimits().pausesBetweenTries[2])),
        ("checks of a code", minutes(CodeLimits().pausesBetweenTries[3])),
        ("checks of all codes", CodeLimits().triesOfIdentity),
        ("codes in a day for an identity", CodeLimits().ofIdentity),
        ("codes in a day for an identity", CodeLimits().ofAccount),
        ("codes in a day for an identity", CodeLimits().ofSession),
        ("codes in a day of a network", CodeLimits().ofNetwork),
        ("codes in a day of a server", CodeLimits().inAll),
        ("recovery codes of an account", RecoveryLimits.codes),
        ("recovery codes that a network tries", RecoveryLimits().triesOfNetwork),
        ("recovery codes that a server checks", RecoveryLimits().triesInAll),
        ("the time in which a used recovery code", minutes(RecoveryLimits().repeating)),
        ("the time for which a pairing", minutes(PairingLimits.lifetime)),
        ("pairings of an account", PairingLimits.aDay),
        ("the pause until the next code", minutes(CodeLimits().pausesBetweenCodes[0])),
        ("the pause until the next code", minutes(CodeLimits().pausesBetweenCodes[1])),
        ("the pause until the next code", minutes(CodeLimits().pausesBetweenCodes[2])),
        ("the pause until the next code", minutes(CodeLimits().pausesBetweenCodes[3])),
    ]

    private static let ofIssuers: [(start: String, limit: Int)] = [
        ("the time in which a sign-in at an issuer", minutes(IssuerLimits().lifetime)),
        ("unfinished sign-ins", IssuerLimits().ofSession),
        ("sign-ins at issuers", IssuerLimits().ofNetwork),
        ("identities of an account at issuers", IssuerLimits().ofAccount),
        ("an id token", kibibytes(TokenHeader.size)),
        ("keys of an issuer", SigningKey.most),
        ("keys of an issuer", hours(IssuerCache.fresh)),
        ("keys of an issuer", minutes(IssuerCache.pause)),
    ]

    private static let ofPasskeys: [(start: String, limit: Int)] = [
        ("the time for which a ceremony", minutes(PasskeyLimits().lifetime)),
        ("ceremonies within", PasskeyLimits().ceremoniesOfSession),
        ("ceremonies within", PasskeyLimits().ceremoniesOfNetwork),
        ("ceremonies within", PasskeyLimits().ceremoniesInAll),
        ("client data of a passkey", kibibytes(PasskeyLimits().clientData)),
        ("characters of a device's or a passkey's name", Limits.deviceName),
    ]

    private static let ofLoad: [(start: String, limit: Int)] = [
        ("requests of a session", Int(server.session.perSecond)),
        ("requests of a session", server.session.burst),
        ("evaluations of an account", server.evaluationsADay),
        ("new sessions", server.newSessions.burst),
        ("requests of an address", Int(server.address.perSecond)),
        ("requests of an address", server.address.burst),
        ("requests of operators", Int(server.operating.perSecond)),
        ("requests of operators", server.operating.burst),
        ("the time that a refusal", seconds(server.refusalPause)),
        ("sessions and addresses", TokenBuckets<Int>(server.session).capacity),
        ("requests at once", server.requestsAtOnce),
        ("requests of one address at once", FairShare<Int>(total: server.requestsAtOnce).base),
        ("requests of one address at once", FairShare<Int>.guaranteed),
        ("work of a session", Int(server.sessionWork.perSecond)),
        ("work of a session", server.sessionWork.burst),
        ("work of an address", Int(server.addressWork.perSecond)),
        ("work of an address", server.addressWork.burst),
        ("large requests that wait", server.heavyWaiting),
        ("large requests that wait", server.heavyWaitingOfAddress),
        ("connections of an address", server.connectionsOfAddress),
        ("connections in all", server.connectionsAtOnce),
        ("bytes of bodies of an address", mebibytes(server.bodiesOfAddress)),
        ("bytes of bodies in all", mebibytes(server.bodiesInAll)),
        ("bytes of answers that a connection", mebibytes(server.unwrittenOfConnection)),
        ("bytes of answers that an address", mebibytes(server.unwrittenOfAddress)),
        ("bytes of answers that nobody", mebibytes(server.unwrittenInAll)),
        ("the rate at which", kibibytes(server.slowestReader)),
        ("the rate at which", seconds(server.readingWindow)),
        ("free space", server.freeDisk),
        ("writes in one commit", PostgresSettings().joinedWrites),
        ("live streams of a session", server.streamsOfSession),
        ("live streams in all", server.streamsAtOnce),
        ("live streams of one address", FairShare<Int>(total: server.streamsAtOnce).base),
        ("live streams of one address", FairShare<Int>.guaranteed),
        ("ticks with one public link", TickLimits.link.burst),
        ("ticks with one public link", Int(TickLimits.link.perSecond)),
        ("ticks with one public link", TickLimits.network.burst),
        ("a connection without traffic", seconds(ServerConfiguration().idle)),
        ("the time to finish", seconds(ServerConfiguration().shutdownGrace)),
    ]

    /// The rows that are not compared: they are words, or their constants belong to one file or to the device.
    private static let unchecked = [
        "text of a field", "an amount in `add`", "levels of arrays and objects", "a link's expiry", "a token in a path",
        "a sync token", "codes of an account, with earlier ones", "referrals and rewards of an account",
        "ended sessions", "a removal that a device keeps", "an answer of an issuer",
        "emails of an account that receive a message about recovery codes",
        "emails of an account that receive a message about a new device", "large requests that are worked on",
        "streams of the pages", "the time in which a client acknowledges nothing", "rows that one transaction",
        "records of lists that were deleted",
    ]
}
