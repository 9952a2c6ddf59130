/// What the simulation judges: the laws by their numbers, and the parts of Kith that have worlds of their own.
enum Law: String {
    case exactlyOnce = "Law 1: Exactly once"
    case nothingSilent = "Law 2: Nothing silent"
    case convergence = "Law 3: Convergence"
    case readYourWrites = "Law 4: Read your writes"
    case neverBackwards = "Law 5: Never backwards"
    case allOrNothing = "Law 6: All or nothing"
    case pushFirst = "Law 7: Push first"
    case walls = "Law 8: Walls"
    case honestSignals = "Law 9: Honest signals"
    case bounds = "Law 10: Bounds"
    case copiesAreNoticed = "Law 11: Copies are noticed"
    case forwardOnly = "Law 12: Forward only"
    case nothingStranded = "Law 13: Nothing stranded"
    case signingIn = "Signing in"
    case invitations = "Invitations"
    case sharing = "Sharing"
    /// A fault of the simulation.
    case world = "The world itself"
}
