import ArgumentParser
import Foundation
import KithModel

/// The option for values of an app.
struct ValuesOption: ParsableArguments {
    @Option(
        name: .customLong("values"), help: ArgumentHelp("Values of an app, as a JSON object.", valueName: "json"))
    var text: String?

    func validate() throws {
        guard let text, !text.isEmpty else { return }
        if (try? JSONDecoder().decode(Fields.self, from: Data(text.utf8))) == nil {
            throw ValidationError(#"--values is not a JSON object, such as {"page": 3}."#)
        }
    }
}
