import Foundation
import KithModel
import OPRF
import Testing

/// The vectors of RFC 9497, appendix A.1.1, and of RFC 9380, appendix K.3.
@Suite("OPRF(ristretto255, SHA-512)") struct VectorTests {
    private static let seed = [UInt8](repeating: 0xA3, count: 32)
    private static let info = Array("test key".utf8)
    private static let blind = "64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706"

    struct Vector: Sendable {
        var input: String
        var blinded: String
        var evaluated: String
        var output: String
    }

    static let vectors = [
        Vector(
            input: "00",
            blinded: "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c",
            evaluated: "7ec6578ae5120958eb2db1745758ff379e77cb64fe77b0b2d8cc917ea0869c7e",
            output: "527759c3d9366f277d8c6020418d96bb393ba2afb20ff90df23fb7708264e2f3"
                + "ab9135e3bd69955851de4b1f9fe8a0973396719b7912ba9ee8aa7d0b5e24bcf6"),
        Vector(
            input: "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
            blinded: "da27ef466870f5f15296299850aa088629945a17d1f5b7f5ff043f76b3c06418",
            evaluated: "b4cbf5a4f1eeda5a63ce7b77c7d23f461db3fcab0dd28e4e17cecb5c90d02c25",
            output: "f4a74c9c592497375e796aa837e907b1a045d34306a749db9f34221f7e750cb4"
                + "f2a6413a6bf6fa5e19ba6348eb673934a722a7ede2e7621306d18951e7cf2c73"),
    ]

    @Test("RFC 9497, A.1.1: the key derived from a seed") func key() throws {
        let key = try #require(PRFKey.derived(seed: Self.seed, info: Self.info))
        #expect(key.bytes == bytes("5ebcea5ee37023ccb9fc2d2019f9d7737be85591ae8652ffa9ef0f4d37063b0e"))
        #expect(PRFKey(bytes: key.bytes)?.bytes == key.bytes)
    }

    @Test("RFC 9497, A.1.1: each step of both vectors", arguments: vectors) func steps(vector: Vector) throws {
        let key = try #require(PRFKey.derived(seed: Self.seed, info: Self.info))
        let client = RistrettoPRF()
        let input = bytes(vector.input)
        let blinded = try #require(try client.blind(input, with: bytes(Self.blind)))
        #expect(blinded.element == bytes(vector.blinded))
        let evaluated = try #require(key.evaluate(blinded.element))
        #expect(evaluated == bytes(vector.evaluated))
        #expect(try client.finalize([blinded], evaluated: [evaluated]) == [bytes(vector.output)])
        #expect(key.output(of: input) == bytes(vector.output))
    }

    @Test("The element in the protocol's examples is that of the RFC", arguments: ["Protocol.md", "openapi.json"])
    func example(document: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let text = try String(contentsOf: root.appending(path: "Documentation/\(document)"), encoding: .utf8)
        #expect(text.contains("\"\(Data(bytes(Self.vectors[0].blinded)).base64URL)\""))
    }

    @Test(
        "RFC 9380, K.3: messages are expanded by SHA-512, in one round and in two",
        arguments: [
            ("", 0x20, "6b9a7312411d92f921c6f68ca0b6380730a1a4d982c507211a90964c394179ba"),
            ("abc", 0x20, "0da749f12fbe5483eb066a5f595055679b976e93abe9be6f0f6318bce7aca8dc"),
            (
                "", 0x80,
                "41b037d1734a5f8df225dd8c7de38f851efdb45c372887be655212d07251b921"
                    + "b052b62eaed99b46f72f2ef4cc96bfaf254ebbbec091e1a3b9e4fb5e5b619d2e"
                    + "0c5414800a1d882b62bb5cd1778f098b8eb6cb399d5d9d18f5d5842cf5d13d7e"
                    + "b00a7cff859b605da678b318bd0e65ebff70bec88c753b159a805d2c89c55961"
            ),
        ])
    func expansion(message: String, count: Int, expanded: String) {
        let tag = Array("QUUX-V01-CS02-with-expander-SHA512-256".utf8)
        #expect(MessageExpansion.expand(Array(message.utf8), tag: tag, count) == bytes(expanded))
    }
}

/// The bytes that hexadecimal digits are.
func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16) ?? 0
    }
}
