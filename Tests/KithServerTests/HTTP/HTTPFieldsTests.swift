import HTTPTypes
import KithServer
import Testing

@Suite("The value of a header") struct HTTPFieldsTests {
    @Test(
        "is that of the subscript, also if it is missing or occurs several times",
        arguments: [[], [""], ["a"], ["a", "b"], ["a, b", "c"]])
    func sameAsSubscript(values: [String]) {
        for name in [HTTPField.Name.accept, .cookie] {
            var fields: HTTPFields = [.contentType: "application/json"]
            for value in values { fields.append(HTTPField(name: name, value: value)) }
            #expect(fields.value(of: name) == fields[name])
            #expect(fields.value(of: .contentType) == "application/json")
        }
    }
}
