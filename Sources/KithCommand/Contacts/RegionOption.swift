import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithModel

/// The region of numbers that are written without a country code.
struct RegionOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The country of numbers without a country code, in all sources, such as AT. It is remembered.",
            valueName: "region"),
        transform: Self.region)
    var region: Region?

    static func region(_ text: String) throws -> Region {
        let code = text.uppercased()
        guard Locale.Region.isoRegions.contains(where: { $0.identifier == code && code.count == 2 }),
            let region = Region(code)
        else { throw ValidationError("“\(text)” is no region. Give its two letters (ISO 3166-1), such as AT.") }
        return region
    }

    /// Sets it as the address book's region, if one was named.
    func remember(_ context: CommandContext) async throws {
        guard let region, region != context.addressBook.region else { return }
        try await context.addressBook.setRegion(region)
        context.console.note("From now on, numbers without a country code are read as numbers of \(region.code).")
    }
}
