import KithServer
import Testing

@Suite("The address of a webhook") struct WebhookAddressTests {
    @Test(
        "Is https, or http on this machine",
        arguments: [
            ("https://tea.example.com/kith?key=1", true), ("https://10.0.0.1/kith", true),
            ("http://localhost:8080/kith", true), ("http://127.0.0.1", true), ("http://[::1]:80/", true),
            ("http://tea.example.com/", false), ("http://10.0.0.1/", false), ("http://localhost.example.com/", false),
            ("ftp://tea.example.com/", false), ("tea.example.com", false), ("https://", false),
            ("https://ada:secret@tea.example.com/", false), ("https://tea.example.com/#part", false),
            ("https://tea.example.com/ä", false), ("https://tea.example.com/a b", false),
            ("https://tea.example.com/\r\nX: y", false), ("", false),
        ])
    func addresses(text: String, isAllowed: Bool) {
        #expect((WebhookAddress(text) != nil) == isAllowed)
    }

    @Test("Is of limited length")
    func length() {
        let start = "https://tea.example.com/"
        let rest = String(repeating: "a", count: WebhookLimits.address - start.count)
        #expect(WebhookAddress(start + rest) != nil && WebhookAddress(start + rest + "a") == nil)
    }

    @Test("Is known to be private if it names such an address")
    func privateAddresses() {
        #expect(WebhookAddress("https://10.0.0.1/kith")?.isPrivate == true)
        #expect(WebhookAddress("https://[fd00::1]/kith")?.isPrivate == true)
        #expect(WebhookAddress("http://127.0.0.1/kith")?.isPrivate == false)
        #expect(WebhookAddress("https://tea.example.com/kith")?.isPrivate == false)
    }
}

@Suite("A public IP address") struct PublicAddressTests {
    @Test(
        "Is one that is reached over the internet",
        arguments: [
            "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.167.1.1", "198.17.0.1",
            "223.255.255.255", "2001:4860:4860::8888", "2a00::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
        ])
    func isPublic(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isPublic)
    }

    @Test(
        "Is none of a machine, a private network, several receivers or an example",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
            "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "fc00::1",
            "fd00::1", "fe80::1", "ff02::1", "2001::1", "2001:db8::1", "2002:a00:1::1", "3fff::1", "64:ff9b::a00:1",
        ])
    func isNotPublic(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isPublic)
    }
}
