import Foundation
import KithModel
import KithServer
import Testing

@Suite("The apps that open a server’s links") struct AppAssociationTests {
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"
    private static let print = Array(repeating: "0f", count: 32).joined(separator: ":")

    private func json(_ reply: Reply) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: reply.body) as? NSDictionary
    }

    @Test("Without settings there are no such files") func none() async throws {
        try await TestServer.run { server in
            for path in [Self.apple, Self.android] {
                let reply = try await server.ask("GET", path)
                #expect(reply.status == 404)
                #expect(try (reply.decoded() as Problem).detail.contains("names no such app"))
            }
        }
    }

    @Test("The files name the apps of the settings, and the paths of links") func files() async throws {
        let settings = try ServerConfiguration(flags: [
            "apple-app": "ABCDE12345.com.example.groceries, ABCDE12345.com.example.clip",
            "android-app": "com.example.groceries", "android-certificate": "\(Self.print),\(Self.print)",
            "app-page": "https://example.com/app", "public-url": "https://example.com/kith/",
        ])
        let change = { (configuration: inout ServerConfiguration) in
            configuration.apps = settings.apps
            configuration.publicURL = settings.publicURL
        }
        try await TestServer.run(change) { server in
            let apple = try await server.ask("GET", Self.apple)
            #expect(apple.status == 200 && apple.head["content-type"] == "application/json")
            let ids = ["ABCDE12345.com.example.groceries", "ABCDE12345.com.example.clip"]
            #expect(
                try json(apple) == [
                    "applinks": [
                        "details": [
                            [
                                "appIDs": ids,
                                "components": [
                                    ["/": "/kith/v1/links/*"], ["/": "/kith/v1/invitations/*"],
                                    ["/": "/kith/v1/public/*"], ["/": "/kith/s/*"], ["/": "/kith/pair"],
                                ],
                            ] as [String: Any]
                        ]
                    ], "webcredentials": ["apps": ids],
                ])
            let android = try await server.ask("GET", Self.android)
            let statements = try JSONSerialization.jsonObject(with: android.body) as? [NSDictionary]
            #expect(
                statements == [
                    [
                        "relation": [
                            "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
                        ],
                        "target": [
                            "namespace": "android_app", "package_name": "com.example.groceries",
                            "sha256_cert_fingerprints": Array(repeating: Self.print.uppercased(), count: 2),
                        ] as [String: Any],
                    ]
                ])
        }
    }

    @Test(
        "A setting that names no app is refused",
        arguments: [
            ("apple-app", "com.example.groceries"), ("apple-app", "ABCDE12345."), ("apple-app", ","),
            ("apple-app", "ABCDE12345.com.example.*"), ("android-app", "groceries"),
            ("android-app", "com.example.gr-o"),
            ("android-certificate", "0F:0F"), ("android-certificate", "not hexadecimal"),
            ("app-page", "http://example.com"), ("app-page", "javascript:alert(1)"),
        ])
    func refused(name: String, value: String) {
        #expect(throws: ServerError.self) { try ServerConfiguration(flags: [name: value]) }
    }
}
