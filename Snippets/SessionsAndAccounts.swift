import Foundation
import Kith
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "groceries"))))

// Register or sign in: the server sends a code to the email.
func signIn(with email: EmailAddress, code: () -> String) async throws {
    let sent = try await client.signIn.requestCode(for: .email(email), device: "Ada’s phone")
    let result = try await client.signIn.check(code(), of: sent)
    for store in result.hidden.stores {  // Another account is current now. Ask the user about each hidden store.
        print("Keep, move or drop \(store.lists) lists?")
    }
}

if let scanned = CommandLine.arguments.dropFirst().first {
    // On the second device. What it had stays in a separate store until the user decides about it.
    let result = try await client.pairings.use(link: scanned, device: "Ada’s tablet")
    for store in result.hidden.stores {
        print("Moving \(store.lists) lists with \(store.waiting) unsent edits.")
        try await client.accounts.decide(.move, about: store.scope)
    }
} else {
    // On the first device. Show the link as a QR code, only to the user: whoever reads it first gets access to the account.
    let pairing = try await client.pairings.make()
    print(pairing.link)
    print(try await client.pairings.result(of: pairing).device ?? "Nobody has read the code.")
}

// The other accounts on this device, with their unsent edits.
for store in try await client.accounts.all() where !store.isCurrent {
    print(store.name ?? "No name", store.lists, store.waiting)
}
