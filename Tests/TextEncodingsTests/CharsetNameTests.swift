import Testing
import TextEncodings

@Suite("Names of charsets") struct CharsetNameTests {
    @Test(
        "Windows-1252 and Latin-1 are known by each of their spellings",
        arguments: [
            "WINDOWS-1252", "windows-1252", "Windows1252", "cp1252", "x-cp1252", "ISO-8859-1", "iso8859-1",
            "ISO_8859-1",
            "\"iso-8859-1\"", "latin1", "L1", "csISOLatin1",
        ])
    func windows1252(name: String) {
        #expect(CharsetName(name).isWindows1252 && !CharsetName(name).isUTF8)
    }

    @Test(
        "UTF-8 is known by each of its spellings", arguments: ["UTF-8", "utf8", "Utf_8", "csUTF8", "unicode-1-1-utf-8"])
    func utf8(name: String) {
        #expect(CharsetName(name).isUTF8 && !CharsetName(name).isWindows1252)
    }

    @Test(
        "Other names are neither",
        arguments: ["", "=", "ISO-8859-15", "windows-1251", "UTF-16", "US-ASCII", "latin1é1"])
    func others(name: String) {
        #expect(!CharsetName(name).isUTF8 && !CharsetName(name).isWindows1252)
    }
}
