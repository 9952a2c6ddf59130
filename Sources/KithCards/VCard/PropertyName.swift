extension VCard {
    /// The properties whose names this library knows.
    ///
    /// The names are those of versions 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350), of the extensions in the IANA registry,
    /// and of common programs.
    public enum PropertyName: String, Hashable, Sendable, CaseIterable {
        /// A property of version 4.0 (RFC 6350).
        case adr = "ADR", anniversary = "ANNIVERSARY", bday = "BDAY", calAdrURI = "CALADRURI", calURI = "CALURI"
        /// A property of version 4.0 (RFC 6350).
        case categories = "CATEGORIES", clientPIDMap = "CLIENTPIDMAP", email = "EMAIL", fburl = "FBURL", fn = "FN"
        /// A property of version 4.0 (RFC 6350).
        case gender = "GENDER", geo = "GEO", impp = "IMPP", key = "KEY", kind = "KIND", lang = "LANG", logo = "LOGO"
        /// A property of version 4.0 (RFC 6350).
        case member = "MEMBER", n = "N", nickname = "NICKNAME", note = "NOTE", org = "ORG", photo = "PHOTO"
        /// A property of version 4.0 (RFC 6350).
        case prodID = "PRODID", related = "RELATED", rev = "REV", role = "ROLE", sound = "SOUND", source = "SOURCE"
        /// A property of version 4.0 (RFC 6350).
        case tel = "TEL", title = "TITLE", tz = "TZ", uid = "UID", url = "URL", version = "VERSION", xml = "XML"
        /// A property of older versions (RFC 2426, version 2.1).
        case agent = "AGENT", classification = "CLASS", label = "LABEL", mailer = "MAILER", name = "NAME"
        /// A property of older versions (RFC 2426, version 2.1).
        case profile = "PROFILE", sortString = "SORT-STRING"
        /// A property of an extension (RFC 6474, 6715, 8605, 9554, 9555).
        case birthPlace = "BIRTHPLACE", deathDate = "DEATHDATE", deathPlace = "DEATHPLACE"
        /// A property of an extension (RFC 6474, 6715, 8605, 9554, 9555).
        case expertise = "EXPERTISE", hobby = "HOBBY", interest = "INTEREST", orgDirectory = "ORG-DIRECTORY"
        /// A property of an extension (RFC 6474, 6715, 8605, 9554, 9555).
        case contactURI = "CONTACT-URI", created = "CREATED", gramGender = "GRAMGENDER", language = "LANGUAGE"
        /// A property of an extension (RFC 6474, 6715, 8605, 9554, 9555).
        case pronouns = "PRONOUNS", socialProfile = "SOCIALPROFILE", jsProp = "JSPROP"
        /// A property of Apple’s programs.
        case xABADR = "X-ABADR", xABDate = "X-ABDATE", xABLabel = "X-ABLABEL", xABRelatedNames = "X-ABRELATEDNAMES"
        /// A property of Apple’s programs.
        case xABShowAs = "X-ABSHOWAS", xABUID = "X-ABUID", xSocialProfile = "X-SOCIALPROFILE"
        /// A property of Apple’s programs.
        case xAddressBookServerKind = "X-ADDRESSBOOKSERVER-KIND", xMaidenName = "X-MAIDENNAME"
        /// A property of Apple’s programs.
        case xAddressBookServerMember = "X-ADDRESSBOOKSERVER-MEMBER"
        /// A property of Apple’s programs.
        case xPhoneticFirstName = "X-PHONETIC-FIRST-NAME", xPhoneticMiddleName = "X-PHONETIC-MIDDLE-NAME"
        /// A property of Apple’s programs.
        case xPhoneticLastName = "X-PHONETIC-LAST-NAME", xPhoneticOrg = "X-PHONETIC-ORG"
        /// A messenger, as programs wrote it before IMPP.
        case xAIM = "X-AIM", xGaduGadu = "X-GADUGADU", xGoogleTalk = "X-GOOGLE-TALK", xGroupWise = "X-GROUPWISE"
        /// A messenger, as programs wrote it before IMPP.
        case xGTalk = "X-GTALK", xICQ = "X-ICQ", xIRC = "X-IRC", xJabber = "X-JABBER", xMatrix = "X-MATRIX"
        /// A messenger, as programs wrote it before IMPP.
        case xMSIMAddress = "X-MS-IMADDRESS", xMSN = "X-MSN", xQQ = "X-QQ", xSkype = "X-SKYPE"
        /// A messenger, as programs wrote it before IMPP.
        case xSkypeUserName = "X-SKYPE-USERNAME", xTelegram = "X-TELEGRAM", xTwitter = "X-TWITTER"
        /// A messenger, as programs wrote it before IMPP.
        case xYahoo = "X-YAHOO", xSIP = "X-SIP"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xAnniversary = "X-ANNIVERSARY", xAssistant = "X-ASSISTANT", xManager = "X-MANAGER", xSpouse = "X-SPOUSE"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xGender = "X-GENDER", xEvolutionAnniversary = "X-EVOLUTION-ANNIVERSARY"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xEvolutionAssistant = "X-EVOLUTION-ASSISTANT", xEvolutionFileAs = "X-EVOLUTION-FILE-AS"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xEvolutionManager = "X-EVOLUTION-MANAGER", xEvolutionSpouse = "X-EVOLUTION-SPOUSE"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xEvolutionBlogURL = "X-EVOLUTION-BLOG-URL", xEvolutionVideoURL = "X-EVOLUTION-VIDEO-URL"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xKAddressBookAnniversary = "X-KADDRESSBOOK-X-ANNIVERSARY"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xKAddressBookIMAddress = "X-KADDRESSBOOK-X-IMADDRESS", xKAddressBookSpouse = "X-KADDRESSBOOK-X-SPOUSESNAME"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xMSAnniversary = "X-MS-ANNIVERSARY", xMSAssistant = "X-MS-ASSISTANT", xMSManager = "X-MS-MANAGER"
        /// A property of Evolution, KDE, Outlook, Android or Mozilla.
        case xMSSpouse = "X-MS-SPOUSE", xAndroidCustom = "X-ANDROID-CUSTOM", xMozillaHTML = "X-MOZILLA-HTML"
    }
}

extension VCard.PropertyName {
    /// Parses the name in the bytes of a header, without its group.
    static func range(in bytes: UnsafeBufferPointer<UInt8>, header: Range<Int>) -> Range<Int> {
        var start = header.lowerBound
        for index in header {
            switch bytes[index] {
            case .semicolon: return start..<index
            case .dot: start = index + 1
            default: break
            }
        }
        return start..<header.upperBound
    }

    /// Whether the bytes are a name. Blanks or quotes mean that the line continues another one.
    static func isSound(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { $0 > 0x20 && $0 != .quote && $0 != .equals && $0 != .comma && $0 != 0x7F }
    }

    /// Whether these letters are the name of a date property.
    static func isOfDay(_ letters: UnsafeBufferPointer<UInt8>) -> Bool {
        // The last letter rules out most names.
        guard let last = letters.last?.capital, last == UInt8(ascii: "Y") || last == UInt8(ascii: "E") else {
            return false
        }
        switch Self(letters) {
        case .bday, .anniversary, .deathDate, .xAnniversary, .xEvolutionAnniversary, .xKAddressBookAnniversary,
            .xMSAnniversary, .xABDate:
            return true
        default: return false
        }
    }

    /// The name with these letters, regardless of case.
    init?(_ letters: UnsafeBufferPointer<UInt8>) {
        var slot = Self.slot(of: letters)
        while let name = Self.table[slot] {
            if letters.spells(name: name.rawValue) {
                self = name
                return
            }
            slot = (slot + 1) & (Self.table.count - 1)
        }
        return nil
    }

    /// A hash table of all names, because each property of a card needs a lookup.
    private static let table: [Self?] = {
        var table = [Self?](repeating: nil, count: 512)
        for name in allCases {
            var slot = name.rawValue.withBytes(Self.slot)
            while table[slot] != nil { slot = (slot + 1) & (table.count - 1) }
            table[slot] = name
        }
        return table
    }()

    private static func slot(of letters: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt32 = 0
        for letter in letters { hash = (hash ^ UInt32(letter.capital)) &* 0x0100_0193 }
        return Int((hash ^ (hash >> 15)) & 511)
    }
}
