import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Photos of contacts") struct AddressBookPhotoTests {
    private static func card(_ uid: String, _ photos: String...) throws -> VCard {
        let lines = ["BEGIN:VCARD", "VERSION:4.0", "UID:\(uid)", "FN:Ada Lovelace", "EMAIL:ada@example.com"]
        return try VCard(Array((lines + photos + ["END:VCARD", ""]).joined(separator: "\r\n").utf8))
    }

    private func photo(_ source: TestSource...) async throws -> ContactPhoto? {
        let world = try BookWorld()
        for (number, source) in source.enumerated() {
            world.book.addSource(source, id: BookWorld.id(number), name: "Source \(number)")
        }
        let contacts = try await world.book.loaded()
        #expect(contacts.count == 1)
        return try await world.book.photo(of: #require(contacts.first))
    }

    @Test("The preferred photo is read from the card on request") func preferred() async throws {
        let source = TestSource(vCards: [
            try Self.card("1", "PHOTO:data:image/png;base64,AAEC", "PHOTO;PREF=1:data:image/jpeg;base64,/9j/")
        ])
        let photo = try await photo(source)
        #expect(photo?.bytes == [0xFF, 0xD8, 0xFF])
        #expect(photo?.mediaType == "image/jpeg")
    }

    @Test("A contact has the photo of any of its cards") func secondCard() async throws {
        let (plain, pictured) = (try Self.card("1"), try Self.card("2", "PHOTO:data:image/png;base64,AAEC"))
        #expect(try await photo(TestSource(vCards: [plain]), TestSource(vCards: [pictured]))?.bytes == [0, 1, 2])
    }

    @Test("A photo that is a link is not fetched, so that nobody learns who views it") func link() async throws {
        #expect(try await photo(TestSource(vCards: [Self.card("1", "PHOTO:https://photos.example/ada.jpg")])) == nil)
    }

    @Test("A photo of a removed card is an error that says so") func gone() async throws {
        let vCard = try Self.card("1", "PHOTO:data:image/png;base64,AAEC")
        await #expect(throws: KithError.self) { try await photo(TestSource([Card(vCard)])) }
    }
}
