import Kith
import KithModel

/// A record that its key identifies, as getters return it.
///
/// Its id alone does not: a person has the same id in every list, and every account has a profile with the same id.
struct KeyedRecord {
    let key: RecordKey
    /// Reads the fields that people can write.
    let fields: () throws -> Fields
}
