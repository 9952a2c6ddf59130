/// The settings of other modules, by type. ``KithConfiguration`` contains them, and each module reads its own.
package struct ModuleSettings: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// The settings of a type; `initial` if none are stored.
    package subscript<Settings: Sendable>(initial: Settings) -> Settings {
        get { values[ObjectIdentifier(Settings.self)] as? Settings ?? initial }
        set { values[ObjectIdentifier(Settings.self)] = newValue }
    }
}
