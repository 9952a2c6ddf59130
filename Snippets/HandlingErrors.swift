import Foundation
import Kith
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "groceries"))))

do {
    guard let list = try await client.lists.all().first else { exit(0) }
    try await client.lists.add("Tea", to: list.id)
    let link = try await client.lists.invite(to: list.id, as: .viewer)
    print(link.url ?? "")
} catch KithError.Code.forbidden {
    print("You can read this list, but not change it.")
} catch let error as KithError {
    print(error.sentence)
    if let wait = error.retryAfter { print("Next attempt in \(wait).") }
}
