import KithModel
import KithServer
import Testing

@Suite("The countries that get SMS") struct PhoneCountriesTests {
    private func countries(_ regions: Region...) throws -> PhoneCountries {
        try PhoneCountries(regions, plan: TestPlan())
    }

    private func refusal(_ number: String, _ countries: PhoneCountries) throws -> SMSRefusal? {
        countries.refusal(of: try #require(E164(number)))
    }

    @Test("The list has the code, the calling code, the flag, an example and four names of each country")
    func list() throws {
        let list = try countries(TestPlan.germany, TestPlan.austria).list.countries
        #expect(list.map(\.id) == ["AT", "DE"])
        let austria = try #require(list.first)
        #expect(austria.callingCode == 43 && austria.flag == "🇦🇹" && austria.example == "0664 123456")
        #expect(austria.names == ["de": "Österreich", "en": "Austria", "es": "Austria", "fr": "Autriche"])
    }

    @Test("Without a setting no country is allowed") func none() throws {
        let countries = try countries()
        #expect(countries.list.countries.isEmpty)
        #expect(try refusal("+436641234567", countries) == .otherCountry(TestPlan.austria))
    }

    @Test("Only the named countries are allowed, also where several share a calling code") func allowed() throws {
        let countries = try countries(TestPlan.austria, TestPlan.america)
        #expect(try refusal("+436641234567", countries) == nil)
        #expect(try refusal("+4915123456789", countries) == .otherCountry(TestPlan.germany))
        #expect(try refusal("+13015550123", countries) == nil)
        #expect(try refusal("+12042345678", countries) == .otherCountry(TestPlan.canada))
        #expect(try refusal("+8835100012345", countries) == .otherCountry(nil))
    }

    @Test(
        "Only mobile numbers are allowed: no fixed lines, premium or toll-free numbers",
        arguments: ["+4312345678", "+43900123456", "+43800123456"])
    func mobileOnly(number: String) throws {
        #expect(try refusal(number, try countries(TestPlan.austria)) == .notMobile)
    }

    @Test("Trap: Another spelling of a number has limits of its own – it gets no SMS") func spellings() throws {
        let countries = try countries(TestPlan.austria)
        #expect(try refusal("+4306641234567", countries) == .notMobile)
        let (written, number) = (try #require(E164("+4306641234567")), try #require(E164("+436641234567")))
        #expect(countries.canonical(.phone(written)) == .phone(number))
        #expect(countries.canonical(.phone(number)) == .phone(number))
        let email = try #require(Identity("mailto:ada@example.com"))
        #expect(countries.canonical(email) == email)
        #expect(try PhoneCountries([], plan: nil).canonical(.phone(written)) == .phone(written))
    }

    @Test("A country without mobile numbers, and countries without a plan, are refused at the start") func wrong()
        throws
    {
        let antarctica = try #require(Region("AQ"))
        let unknown = #expect(throws: ServerError.self) { try PhoneCountries([antarctica], plan: TestPlan()) }
        #expect(unknown?.sentence.contains("“AQ”") == true)
        #expect(throws: ServerError.self) { try PhoneCountries([TestPlan.austria], plan: nil) }
    }

    @Test("Only mobile numbers of the named countries are reached, and none without a provider") func reached() throws {
        var settings = PhoneSettings()
        (settings.numberingPlan, settings.countries) = (TestPlan(), [TestPlan.austria])
        let sms = try SMSGuard(settings, hasGateway: true, lifetime: .seconds(600))
        #expect(sms.reaches(try #require(E164("+436641234567"))))
        #expect(!sms.reaches(try #require(E164("+4312345678"))))
        #expect(!sms.reaches(try #require(E164("+4915123456789"))))
        #expect(!SMSGuard.off.reaches(try #require(E164("+436641234567"))))
    }

    @Test("The error says which setting is missing") func missing() throws {
        var settings = PhoneSettings()
        settings.numberingPlan = TestPlan()
        func lacks(_ hasGateway: Bool) throws -> String? {
            try SMSGuard(settings, hasGateway: hasGateway, lifetime: .seconds(600)).missingSetting
        }
        #expect(try lacks(false) == "sms-url")
        #expect(try lacks(true) == "sms-countries")
        settings.countries = [TestPlan.austria]
        #expect(try lacks(true) == nil)
        let error = #expect(throws: ServerError.self) { try lacks(false) }
        #expect(error?.sentence.hasPrefix("sms-countries needs sms-url too.") == true)
    }
}
