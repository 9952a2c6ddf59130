import Foundation
import KithModel
import KithServer
import Testing

@Suite("The fields of a form") struct FormFieldsTests {
    @Test("A form is read as it was written")
    func forms() throws {
        let form = FormFields([("To", "+43 664"), ("Body", "Grüße & mehr=viel%\r\n\0~*'"), ("Empty", "")])
        #expect(String(decoding: form.encoded, as: UTF8.self).hasPrefix("To=%2B43%20664&Body=Gr%C3%BC%C3%9Fe%20%26%20"))
        let read = try #require(FormFields(form.encoded))
        #expect(
            read.fields.map(\.name) == form.fields.map(\.name) && read.fields.map(\.value) == form.fields.map(\.value))
        #expect(FormFields(Data("a=%".utf8)) == nil && FormFields(Data([0xFF])) == nil)
    }

    @Test("Trap: A form with many combining marks, as they are or as escapes – it cannot be read")
    func combiningMarks() {
        let marks = String(repeating: "\u{327}\u{301}", count: 8_000)
        for text in [marks, marks.percentEncoded] {
            #expect(FormFields(Data("name=\(text)".utf8)) == nil && FormFields(Data("\(text)=1&a=2".utf8)) == nil)
        }
        let permitted = String(repeating: "\u{301}", count: Limits.combiningMarks)
        #expect(FormFields(Data("name=e\(permitted.percentEncoded)".utf8))?["name"] == "e\(permitted)")
    }
}
