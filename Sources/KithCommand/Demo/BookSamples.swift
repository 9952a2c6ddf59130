import Foundation
import Kith
import KithAddressBook
import KithCards

/// The address books that come with Kith, as five programs write them.
enum BookSample: String, CaseIterable, Sendable {
    case android, iphone, gmail, outlook
    /// A folder of vCards, one to a file.
    case khard

    var isFolder: Bool { self == .khard }

    /// What it is called on disk.
    var fileName: String { isFolder ? rawValue : rawValue + ".vcf" }

    private var bytes: [UInt8] {
        switch self {
        case .android: PackageResources.android_vcf
        case .iphone: PackageResources.iphone_vcf
        case .gmail: PackageResources.gmail_vcf
        case .outlook: PackageResources.outlook_vcf
        case .khard: PackageResources.khard_vcf
        }
    }

    /// Where it is, once it was put into `folder`.
    func location(in folder: URL) -> AddressBook.SourceLocation {
        isFolder
            ? .folder(folder.appending(path: fileName, directoryHint: .isDirectory))
            : .vCardFile(folder.appending(path: fileName))
    }

    /// Puts the file there, or the folder with its files.
    func put(into folder: URL) throws {
        let place = folder.appending(path: fileName)
        guard isFolder else { return try Data(bytes).write(to: place) }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (number, card) in VCardReader.cards(in: bytes).cards.enumerated() {
            let name = Card(card).uid?.replacing("urn:uuid:", with: "") ?? "card-\(number)"
            try Data(card.bytes).write(to: place.appending(path: name + ".vcf"))
        }
    }
}
