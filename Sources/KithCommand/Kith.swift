import ArgumentParser
import GRDB
import Hummingbird

@main struct KithCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "kith")
}
