/// A ceremony of WebAuthn: the addition of a passkey or a sign-in with one. The type has no values; it only makes a
/// ``CeremonyID`` a type of its own.
public enum PasskeyCeremony {}

/// The id of a ceremony.
public typealias CeremonyID = RecordID<PasskeyCeremony>
