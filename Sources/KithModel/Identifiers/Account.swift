/// The type that an ``AccountID`` identifies: one user of the service, who may be anonymous.
public enum Account {}

/// The identity of an account.
public typealias AccountID = RecordID<Account>
