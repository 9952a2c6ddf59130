#if canImport(Contacts)
    @preconcurrency import Contacts
    import Foundation
    import Kith
    package import KithCards

    /// The device's own address book, through the Contacts framework.
    package final class DeviceSource: AddressBookSource {
        package init() {}

        /// Reads every contact that the user lets the app see. Asks for permission the first time. Progress counts
        /// contacts.
        @concurrent
        package func load(_ progress: LoadProgress) async throws -> SourceContents {
            var contents = SourceContents(entries: [], access: try await access())
            try forEachContact(keys: [CNContactThumbnailImageDataKey as any CNKeyDescriptor]) { contact in
                let name = contact.identifier
                do {
                    let vCard = try Self.vCard(of: contact, photo: contact.thumbnailImageData)
                    contents.entries.append(.init(reference: CardReference(name), card: Card(vCard)))
                } catch {
                    let sentence = (error as? VCardFault)?.sentence ?? error.localizedDescription
                    contents.faults.append(SourceFault(line: 1, sentence, in: name))
                }
                progress.report(contents.entries.count + contents.faults.total)
            }
            return contents
        }

        package func changes() -> AsyncStream<Void> {
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            // Only passed back to the notification centre that created it.
            nonisolated(unsafe) let observer = NotificationCenter.default.addObserver(
                forName: .CNContactStoreDidChange, object: nil, queue: nil
            ) { _ in continuation.yield() }
            continuation.onTermination = { _ in NotificationCenter.default.removeObserver(observer) }
            return changes
        }

        @concurrent
        package func vCard(_ reference: CardReference) async throws -> VCard {
            _ = try await access()
            let keys = Self.keys + [CNContactImageDataKey as any CNKeyDescriptor]
            do {
                let contact = try CNContactStore().unifiedContact(withIdentifier: reference.name, keysToFetch: keys)
                return try Self.vCard(of: contact, photo: contact.imageData)
            } catch CNError.recordDoesNotExist {
                throw KithError(gone: reference, from: "the device's address book")
            }
        }

        /// Adds the cards as contacts, all of them or none.
        @concurrent
        package func add(_ cards: [VCard]) async throws -> AddedCards {
            guard try await access() == .full else {
                throw KithError(.forbidden, "The app sees only some contacts. Give it full access in the settings.")
            }
            // The framework stores no uid, so a contact counts as present if its content is equal.
            var keys: Set<CardKey> = []
            try forEachContact { keys.insert(CardKey(try Self.vCard(of: $0), uid: nil)) }
            let request = CNSaveRequest()
            var added: [CNMutableContact] = []
            for card in cards {
                for contact in try CNContactVCardSerialization.contacts(with: Data(card.bytes)) {
                    guard keys.insert(CardKey(try Self.vCard(of: contact), uid: nil)).inserted,
                        let new = contact.mutableCopy() as? CNMutableContact
                    else { continue }
                    request.add(new, toContainerWithIdentifier: nil)
                    added.append(new)
                }
            }
            do { try CNContactStore().execute(request) } catch {
                throw KithError(
                    .forbidden, "The device's address book takes no contacts: \(error.localizedDescription)",
                    cause: error)
            }
            return AddedCards(references: added.map { CardReference($0.identifier) })
        }

        // MARK: Reading

        private static let keys = [CNContactVCardSerialization.descriptorForRequiredKeys()]

        private func forEachContact(keys: [any CNKeyDescriptor] = [], _ body: (CNContact) throws -> Void) throws {
            let request = CNContactFetchRequest(keysToFetch: Self.keys + keys)
            request.sortOrder = .none
            var failure: (any Error)?
            do {
                try CNContactStore().enumerateContacts(with: request) { contact, stop in
                    do {
                        try Task.checkCancellation()
                        try body(contact)
                    } catch {
                        failure = error
                        stop.pointee = true
                    }
                }
            } catch {
                throw KithError(
                    .unreadable, "The device's address book cannot be read: \(error.localizedDescription)", cause: error
                )
            }
            if let failure { throw failure }
        }

        /// The framework's vCard, with the photo added, which the framework leaves out.
        private static func vCard(of contact: CNContact, photo: Data? = nil) throws -> VCard {
            var bytes = [UInt8](try CNContactVCardSerialization.data(with: [contact]))
            if let photo, let end = Data(bytes).range(of: Data("END:VCARD".utf8), options: .backwards) {
                let line = "PHOTO;ENCODING=b;TYPE=JPEG:\(photo.base64EncodedString())\r\n"
                bytes.insert(contentsOf: line.utf8, at: end.lowerBound)
            }
            return try VCard(bytes)
        }

        // MARK: Leave

        private func access() async throws -> SourceContents.Access {
            if CNContactStore.authorizationStatus(for: .contacts) == .notDetermined {
                _ = try? await CNContactStore().requestAccess(for: .contacts)
            }
            switch CNContactStore.authorizationStatus(for: .contacts) {
            case .authorized: return .full
            #if os(iOS)
                case .limited: return .limited
            #endif
            default:
                throw KithError(
                    .denied, "The app may not see the contacts. Allow it in the settings, under privacy, and try again."
                )
            }
        }
    }
#endif
