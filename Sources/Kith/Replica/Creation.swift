/// Whether an edit creates its record.
package enum Creation {
    /// It changes a record.
    case no
    /// It creates a record whose id may be known already, such as one that the app has chosen.
    case anyID
    /// It creates a record whose id was just made, so that neither the replica nor the outbox has anything of it.
    case newID
}
