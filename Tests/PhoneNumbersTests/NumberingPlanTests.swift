import Foundation
import KithModel
import PhoneNumbers
import Testing

@Suite("Numbering plans") struct NumberingPlanTests {
    private let plan = LibPhoneNumber()

    private func region(_ code: String) throws -> Region { try #require(Region(code)) }

    @Test(
        "A country has a calling code and an example of a mobile number",
        arguments: [("AT", 43, "0664 123456"), ("DE", 49, "01512 3456789"), ("US", 1, "(201) 555-0123")])
    func countries(code: String, callingCode: Int, example: String) throws {
        #expect(plan.callingCode(of: try region(code)) == callingCode)
        #expect(plan.mobileExample(in: try region(code))?.national == example)
    }

    @Test("Letters that are no country have neither") func noCountry() throws {
        #expect(plan.callingCode(of: try region("XX")) == nil)
        #expect(plan.mobileExample(in: try region("XX")) == nil)
    }

    @Test(
        "A number belongs to one of the countries that share its calling code",
        arguments: [
            ("+436641234567", "AT"), ("+12042345678", "CA"), ("+12015550123", "US"), ("+393123456789", "IT"),
            ("+447400123456", "GB"), ("+447781123456", "GG"),
        ])
    func regions(number: String, code: String) throws {
        #expect(plan.region(of: try #require(E164(number))) == (try region(code)))
    }

    @Test("A number of a plan without a country has no country") func noRegion() throws {
        #expect(plan.region(of: try #require(E164("+870773111632"))) == nil)
    }

    @Test("Every example is a mobile number of its country, or one of a plan that does not tell") func examples() throws
    {
        var count = 0
        for code in Locale.Region.isoRegions.map(\.identifier).filter({ $0.count == 2 }).sorted() {
            let region = try region(code)
            guard let example = plan.mobileExample(in: region), let number = example.e164 else { continue }
            count += 1
            #expect([.mobile, .fixedLineOrMobile].contains(example.kind), "\(code)")
            // Some countries share both the calling code and the plan, such as Finland and the Åland Islands.
            let owner = try #require(plan.region(of: number), "\(code)")
            #expect(plan.callingCode(of: owner) == plan.callingCode(of: region), "\(code)")
        }
        #expect(count > 200)
    }
}
