import Foundation

extension CardReading {
    /// The rules of what reaches someone.
    static let reachingRules: [VCard.PropertyName: Rule] = [
        .email: {
            let email = Card.Email(id: "", address: $1.text)
            if !email.address.isEmpty { $0.add(email, to: \.emails, .email, $1) }
        },
        .tel: { $0.readPhone($1) },
        .lang: {
            let language = Card.Language(id: "", language: $1.text)
            if !language.language.isEmpty { $0.add(language, to: \.preferredLanguages, .language, $1) }
        },
        .impp: { $0.readService($1) },
        .socialProfile: { $0.readService($1) },
        .xSocialProfile: { $0.readService($1) },
        .adr: { $0.readAddress($1) },
        .label: { $0.companions.append($1) },
        .geo: { $0.companions.append($1) },
        .tz: { $0.companions.append($1) },
        .xABADR: { $0.companions.append($1) },
        .xABLabel: { $0.companions.append($1) },
    ]

    private mutating func readPhone(_ statement: CardProperty) {
        let text = statement.text
        var phone = Card.Phone(id: "", number: text.telephoneNumber ?? text)
        guard !phone.number.isEmpty else { return }
        phone.features = statement.words.features
        add(phone, to: \.phones, .phone, statement)
    }

    // MARK: Services

    /// The properties that programs had for messengers before `IMPP`, and the messengers' names.
    static let messengers: [(name: VCard.PropertyName, service: String?)] = [
        (.xAIM, "AIM"), (.xGaduGadu, "Gadu-Gadu"), (.xGoogleTalk, "Google Talk"), (.xGTalk, "Google Talk"),
        (.xGroupWise, "GroupWise"), (.xICQ, "ICQ"), (.xIRC, "IRC"), (.xJabber, "XMPP"), (.xMatrix, "Matrix"),
        (.xMSN, "MSN"), (.xQQ, "QQ"), (.xSIP, "SIP"), (.xSkype, "Skype"), (.xSkypeUserName, "Skype"),
        (.xTelegram, "Telegram"), (.xTwitter, "Twitter"), (.xYahoo, "Yahoo"),
        // Outlook and KDE do not say which messenger it is.
        (.xMSIMAddress, nil), (.xKAddressBookIMAddress, nil),
    ]

    /// The rules of these.
    static let messengerRules: [VCard.PropertyName: Rule] = messengers.reduce(into: [:]) { rules, messenger in
        rules[messenger.name] = {
            let service = Card.OnlineService(id: "", service: messenger.service, user: $1.text)
            if service.user != "" { $0.add(service, to: \.onlineServices, .onlineService, $1) }
        }
    }

    /// A messenger or a network: by its URI, by the name that someone has there, or both.
    ///
    /// Apple gives the service in X-SERVICE-TYPE or as a word of TYPE, and the
    /// name in X-USER; RFC 9554 gives them in SERVICE-TYPE and USERNAME.
    private mutating func readService(_ statement: CardProperty) {
        let text = statement.text
        var service = Card.OnlineService(id: "")
        service.service = statement["SERVICE-TYPE"] ?? statement["X-SERVICE-TYPE"]
        service.service = service.service ?? statement.serviceWord
        service.user = statement["USERNAME"] ?? statement["X-USER"]
        if let user = text.afterPrefix("x-apple:") {
            // Apple's way to say that there is no address.
            service.user = service.user ?? (user.removingPercentEncoding ?? user)
        } else if statement.valueType != "text", text.hasScheme {
            service.uri = text
        } else if !text.isEmpty {
            service.user = service.user ?? text
        }
        guard service.uri != nil || service.user != nil else { return }
        add(service, to: \.onlineServices, .onlineService, statement)
    }
}

extension String {
    /// The number that a `tel:` URI says (RFC 3966); nil if the text is none.
    ///
    /// A number of a place has the beginning of its full one in `phone-context`.
    /// Where that is the name of a domain, nobody else knows the full number.
    var telephoneNumber: String? {
        guard let number = afterPrefix("tel:") else { return nil }
        var parts = number.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard let place = parts.dropFirst().firstIndex(where: { $0.hasPrefixIgnoringCase("phone-context=+") }),
            let context = parts[place].afterPrefix("phone-context=")
        else { return number }
        parts.remove(at: place)
        if !parts[0].hasPrefix("+") { parts[0] = "\(context)-\(parts[0])" }
        return parts.joined(separator: ";")
    }

    /// What follows `prefix`, which is in small letters; nil if the text does not begin with it, in whatever case.
    func afterPrefix(_ prefix: String) -> String? {
        guard hasPrefixIgnoringCase(prefix) else { return nil }
        return String(self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...])
    }

    /// Whether the text begins with `prefix`, which is in small letters of ASCII, in whatever case.
    func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
        guard utf8.count >= prefix.utf8.count else { return false }
        return zip(utf8, prefix.utf8).allSatisfy { $0 == $1 || 0x41...0x5A ~= $0 && $0 | 0x20 == $1 }
    }

    /// Whether the text has but what a URI may have. It is written as it is then.
    var isURI: Bool { hasScheme && utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\\") && $0 != 0x7F } }

    /// Whether the text begins as a URI does: letters, then a colon (RFC 3986, section 3.1).
    var hasScheme: Bool {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), let first = utf8.first else { return false }
        return 0x61...0x7A ~= first | 0x20
            && utf8[..<colon].allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: 0x61...0x7A ~= byte | 0x20
                }
            }
    }
}
