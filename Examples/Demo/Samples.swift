import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithCards

/// The files for the story.
enum Samples {
    /// The list in a file; the household list of the demonstration if `file` is nil.
    static func list(_ file: String?) throws -> ListDocument {
        let name = file ?? "household.md"
        let url = file.map { URL(filePath: ($0 as NSString).expandingTildeInPath) }
        guard let data = url.map({ try? Data(contentsOf: $0) }) ?? Data(PackageResources.household_md),
            let document = try? ListFormat.recognised(fileName: name, content: data)?.read(data)
        else { throw ValidationError("“\(name)” is not a list that Kith can read.") }
        let usable = document.items.count { Cast.isUsable(isTicked: $0.isTicked, title: $0.title) }
        if usable < Cast.needed {
            throw ValidationError("“\(name)” has \(usable) items to be ticked; the story needs \(Cast.needed).")
        }
        return document
    }

    /// Copies the sample address books of five programs: one file each, and for khard a folder with one file for each
    /// card.
    static func books(in folder: URL) throws -> [SourceLocation] {
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
        let khard = folder.appending(path: "khard", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: khard, withIntermediateDirectories: true)
        for (number, card) in VCardReader.cards(in: PackageResources.khard_vcf).cards.enumerated() {
            try Data(card.bytes).write(to: khard.appending(path: "card-\(number + 1).vcf"))
        }
        return files.map { .vCardFile(folder.appending(path: $0.name)) } + [.folder(khard)]
    }

    /// The operator's file of a programme in which people are rewarded.
    static var programme: Data { Data(PackageResources.tea_json) }

    private static let files = [
        (name: "android.vcf", bytes: PackageResources.android_vcf),
        (name: "iphone.vcf", bytes: PackageResources.iphone_vcf),
        (name: "gmail.vcf", bytes: PackageResources.gmail_vcf),
        (name: "outlook.vcf", bytes: PackageResources.outlook_vcf),
    ]
}
