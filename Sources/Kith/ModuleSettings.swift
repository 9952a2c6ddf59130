/// What other modules are set up with, by type: ``KithConfiguration`` carries it, and the module reads it.
package struct ModuleSettings: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// The settings of a type; those of `initial` if none were made.
    package subscript<Settings: Sendable>(initial: Settings) -> Settings {
        get { values[ObjectIdentifier(Settings.self)] as? Settings ?? initial }
        set { values[ObjectIdentifier(Settings.self)] = newValue }
    }
}
