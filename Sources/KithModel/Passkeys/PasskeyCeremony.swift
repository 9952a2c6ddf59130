/// The type that a ``CeremonyID`` identifies: the addition of a passkey or a sign-in with one, from its challenge to its
/// end.
public enum PasskeyCeremony {}

/// The identity of a ceremony.
public typealias CeremonyID = RecordID<PasskeyCeremony>
