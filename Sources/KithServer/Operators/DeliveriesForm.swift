package import KithModel

/// The form with which an operator sends events of webhooks again, or lets a webhook get events again.
package enum DeliveriesForm: Hashable, Sendable {
    /// Sends these events again.
    case sendAgain([RecordID<WebhookDelivery>])
    /// Ends the pause of a webhook.
    case resume(Webhook.ID)

    /// Reads a form; nil if a field is missing or invalid.
    package init?(_ form: FormFields) {
        switch form["action"] {
        case "again":
            let ids = form.fields.filter { $0.name == "id" }.map { RecordID<WebhookDelivery>($0.value) }
            guard !ids.contains(nil), ids.count <= WebhookTables.size else { return nil }
            self = .sendAgain(ids.compactMap { $0 })
        case "resume":
            guard let id = form["webhook"].flatMap({ Webhook.ID($0) }) else { return nil }
            self = .resume(id)
        default: return nil
        }
    }
}
