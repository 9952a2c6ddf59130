/// The type that a ``DeviceID`` identifies: one replica of one account.
public enum Device {}

/// The identity of a replica.
public typealias DeviceID = RecordID<Device>
