/// The HTTP status of a refusal.
struct DAVStatus: Error { let status: Int }
