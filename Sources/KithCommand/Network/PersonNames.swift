import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// The names of the people that this device knows, for completion in a shell.
enum PersonNames {
    static func complete(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        guard let client = ListNames.client(words), let people = try? await client.network.contacts(in: .everyone)
        else {
            return []
        }
        return people.compactMap { $0.fullName?.printable }
    }
}
