import KithServer
import Testing

@Suite("The proof of a form") struct FormProofTests {
    @Test("It fits only the same purpose and the same cookie")
    func fitting() {
        let proof = FormProof("close", of: "token")
        let form = FormFields([(name: "proof", value: proof.text)])
        #expect(proof.fits(form) && FormProof("close", of: "token").fits(form))
        #expect(!FormProof("delete", of: "token").fits(form) && !FormProof("close", of: "other").fits(form))
        #expect(!proof.text.contains("token") && proof.text.count == 43)
    }

    @Test("A form without it does not fit", arguments: ["", "a", String(repeating: "A", count: 43)])
    func missing(text: String) {
        #expect(!FormProof("close", of: "token").fits(FormFields([(name: "proof", value: text)])))
        #expect(!FormProof("close", of: "token").fits(FormFields([])))
    }
}
