import Foundation
import KithModel
import KithServer
import Testing

@Suite("The configuration of a server")
struct ServerConfigurationTests {
    @Test("Flags override the environment, which overrides the file, which overrides the defaults")
    func precedence() throws {
        let file = Data(#"{"host":"file","port":1,"database":"file","requests-at-once":7,"session-rate":0.5}"#.utf8)
        let environment = ["KITH_SERVE_HOST": "environment", "KITH_SERVE_PORT": "2", "PATH": "/bin"]
        let all = try ServerConfiguration(flags: ["host": "flag"], environment: environment, file: file)
        #expect(all.host == "flag" && all.port == 2 && all.database == "file")
        #expect(all.limits.requestsAtOnce == 7 && all.limits.session.perSecond == 0.5)
        #expect(all.limits.session.burst == 200)
    }

    @Test("The defaults are those that the documentation names")
    func defaults() {
        let standard = ServerConfiguration()
        #expect(standard.host == "127.0.0.1" && standard.port == 8480 && standard.isLoopback)
        #expect(standard.limits.session == Rate(perSecond: 20, burst: 200))
        #expect(standard.limits.newSessions == Rate(perSecond: 1, burst: 60))
        #expect(standard.limits.requestsAtOnce == 1_000 && standard.limits.streamsOfSession == 8)
    }

    @Test("An unknown key in the file is named")
    func unknownKey() {
        let error = #expect(throws: ServerError.self) { try ServerConfiguration(file: Data(#"{"prot":8480}"#.utf8)) }
        #expect(error?.sentence.contains("“prot”") == true)
        #expect(throws: ServerError.self) { try ServerConfiguration(file: Data("[]".utf8)) }
    }

    @Test("Trap: a mistyped variable is not left out silently; other programs' variables are")
    func unknownVariable() throws {
        let error = #expect(throws: ServerError.self) {
            try ServerConfiguration(environment: ["KITH_SERVE_TRUSTED_PROXIES": "loopback"])
        }
        #expect(error?.sentence.contains("KITH_SERVE_TRUSTED_PROXIES") == true && error?.code == .malformed)
        _ = try ServerConfiguration(environment: ["KITH_SERVER": "x", "KITH_SERVE_CONFIG": "x", "HOME": "/"])
    }

    @Test("An empty variable counts as unset; an empty flag or value in the file is an error")
    func emptyTexts() throws {
        let variables = ServerConfiguration.settings.map { ($0.variable, "") } + [("KITH_SERVE_CONFIG", "")]
        let environment = Dictionary(uniqueKeysWithValues: variables)
        let configuration = try ServerConfiguration(environment: environment, file: Data(#"{"port":1}"#.utf8))
        #expect(configuration.port == 1 && configuration.host == ServerConfiguration().host)
        for setting in ServerConfiguration.settings {
            #expect(throws: ServerError.self) { try ServerConfiguration(flags: [setting.name: ""]) }
            #expect(throws: ServerError.self) {
                try ServerConfiguration(file: try JSONEncoder().encode([setting.name: ""]))
            }
        }
    }

    @Test(
        "The error about an invalid value names its source and what is needed",
        arguments: [
            ("port", "65536"), ("port", "http"), ("port", "-1"), ("public-url", "kith.example"),
            ("public-url", "ftp://x"), ("public-url", "https://kith.example/?a=b"),
            ("public-url", "https://kith.example#a"),
            ("public-url", "https://ada:word@kith.example"), ("public-url", "https://kith.example/a b"),
            ("public-url", "https://kith.example/a//b"), ("public-url", "https://"),
            ("log-level", "loud"), ("trusted-proxy", "proxy.example"), ("trusted-proxy", "10.0.0.0/33"),
            ("session-rate", "0"), ("session-rate", "nan"), ("session-burst", "0"), ("requests-at-once", "1.5"),
            ("smtp-url", "mail.example"), ("smtp-url", "smtp://kith:word@mail.example"),
            ("smtp-url", "http://mail.example"), ("smtp-tls", "maybe"), ("mail-from", "Kith"),
            ("bounce-address", "bounces+x@k.example"), ("email-codes", "yes"), ("recovery-codes", "0"),
            ("sms-url", "http://sms.example"), ("sms-account", "../AC1"), ("sms-countries", "AUT"),
            ("default-language", "german!"),
            ("service-name", "\r\n"), ("operator-page", "yes"),
        ])
    func impossible(name: String, value: String) throws {
        let setting = try #require(ServerConfiguration.settings.first { $0.name == name })
        let flag = #expect(throws: ServerError.self) { try ServerConfiguration(flags: [name: value]) }
        #expect(flag?.sentence.contains("--\(name)") == true && flag?.sentence.contains("“\(value)”") == true)
        let variable = #expect(throws: ServerError.self) {
            try ServerConfiguration(environment: [setting.variable: value])
        }
        #expect(variable?.sentence.contains(setting.variable) == true)
    }

    @Test(
        "The error about a number beyond a setting's limits gives both limits",
        arguments: [
            ("session-burst", "10000000", "from 1 to 1000000"), ("new-session-burst", "0", "from 1 to 1000000"),
            ("port", "65536", "from 0 to 65535"), ("discovery-quota", "-1", "from 0 to 1000000000"),
            ("session-rate", "0", "from 0.001 to 1000000"), ("address-rate", "1e9", "from 0.001 to 1000000"),
        ])
    func limits(name: String, value: String, range: String) {
        let error = #expect(throws: ServerError.self) { try ServerConfiguration(flags: [name: value]) }
        #expect(error?.sentence.contains(range) == true, "\(error?.sentence ?? "nothing")")
    }

    @Test("The error about a configuration file names the byte of a syntax error, and a repeated key")
    func file() {
        for (file, words) in [(#"{"port":1,}"#, "byte 11"), (#"{"port":1,"port":2}"#, "“port” is there twice")] {
            let error = #expect(throws: ServerError.self) { try ServerConfiguration(file: Data(file.utf8)) }
            #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "nothing")")
        }
    }

    @Test("Every setting can be set from everywhere, under one name")
    func everySetting() throws {
        let samples = [
            "public-url": "https://kith.example/", "log-level": "debug", "trusted-proxy": "loopback,10.0.0.0/8",
            "apple-app": "ABCDE12345.com.example.groceries", "android-app": "com.example.groceries",
            "android-certificate": Array(repeating: "AB", count: 32).joined(separator: ":"),
            "app-page": "https://kith.example/app", "smtp-url": "smtps://mail.example:465", "smtp-tls": "none",
            "mail-from": "Kith <kith@k.example>",
            "sms-url": "https://sms.example/v1/", "sms-countries": "AT, de", "default-language": "pt-BR",
            "bounce-address": "bounces@k.example", "email-codes": "off", "recovery-codes": "off", "passkeys": "off",
            "passkey-domain": "kith.example", "passkey-origins": "https://kith.example",
            "webhooks-to-private-addresses": "on",
            "operator-page": "off", "database-pooler": "on",
            "database-listening": "postgres://kith@db.example/kith",
        ]
        for setting in ServerConfiguration.settings {
            let value = samples[setting.name] ?? "12"
            #expect(setting.variable.hasPrefix("KITH_SERVE_") && !setting.variable.contains("-"))
            _ = try ServerConfiguration(flags: [setting.name: value])
            _ = try ServerConfiguration(environment: [setting.variable: value])
            _ = try ServerConfiguration(file: try JSONEncoder().encode([setting.name: value]))
        }
        let set = try ServerConfiguration(file: Data(#"{"trusted-proxy":["loopback","10.0.0.0/8"]}"#.utf8))
        #expect(set.trustedProxies.count == 3)
        #expect(try ServerConfiguration(flags: samples).publicURL == "https://kith.example")
    }

    @Test(
        "The public address is written as browsers write it, and ends without slashes",
        arguments: [
            ("HTTPS://Kith.Example:443/", "https://kith.example"), ("http://kith.example:80", "http://kith.example"),
            ("https://bücher.example/", "https://xn--bcher-kva.example"),
            ("https://kith.example:8443//", "https://kith.example:8443"),
            ("https://kith.example/app/", "https://kith.example/app"), ("http://[::1]:8480/", "http://[::1]:8480"),
        ])
    func publicAddress(text: String, address: String) throws {
        #expect(try ServerConfiguration(flags: ["public-url": text]).publicURL == address)
    }

    @Test(
        "Only this machine's own addresses count as loopback",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true), ("::ffff:127.0.0.1", true),
            ("0.0.0.0", false), ("::", false), ("192.0.2.1", false), ("kith.example", false),
        ])
    func loopback(host: String, isLoopback: Bool) {
        var configuration = ServerConfiguration()
        configuration.host = host
        #expect(configuration.isLoopback == isLoopback)
    }
}
