import HTTPTypes
import KithServer
import Testing

@Suite("The cookie of a page") struct PageCookieTests {
    private let cookie = PageCookie("kith", .lax, lifetime: .seconds(60))

    @Test("With TLS it belongs to one host; without TLS it has a plain name; no script reads it")
    func setting() {
        #expect(
            cookie.setting("a-B_1", isSecure: true)
                == "__Host-kith=a-B_1; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure")
        #expect(cookie.setting("a", isSecure: false) == "kith=a; Path=/; Max-Age=60; HttpOnly; SameSite=Lax")
        #expect(cookie.removing(isSecure: false) == "kith=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
        let strict = PageCookie("operator", .strict, lifetime: .seconds(1))
        #expect(strict.setting("a", isSecure: true).contains("SameSite=Strict"))
    }

    @Test(
        "It is found among other cookies, and only under its own name",
        arguments: [
            ("__Host-kith=abc", "abc"), ("a=b; __Host-kith=abc; c=d", "abc"), ("a=b;__Host-kith=abc", "abc"),
            ("kith=abc", nil), ("x__Host-kith=abc", nil), ("__Host-kith", nil), ("__Host-kith=", nil),
            ("__Host-kith=a b", nil), ("__Host-kith=\"abc\"", nil), ("__host-kith=abc", nil), ("", nil),
            ("__Host-kith=first; __Host-kith=second", "first"),
            ("__Host-kith=\(String(repeating: "a", count: 129))", nil),
        ])
    func reading(field: String, value: String?) {
        #expect(cookie.value(in: [.cookie: field], isSecure: true) == value)
    }

    @Test("A browser without the field has no cookie; each server reads the name that it sets")
    func names() {
        #expect(cookie.value(in: [:], isSecure: true) == nil)
        #expect(cookie.value(in: [.cookie: "kith=abc"], isSecure: false) == "abc")
        #expect(cookie.value(in: [.cookie: "__Host-kith=abc"], isSecure: false) == nil)
    }
}
