/// Every limit that client and server share. The consequences are in `Documentation/Protocol.md`, section "Limits".
public enum Limits {
    /// Mutations in one request. A device sends the others in the next round.
    public static let mutations = 500
    /// Mutations in one group. A larger one is refused when it is written.
    public static let group = 500
    /// Bytes of a request's body. More is answered with 413, and the device sends fewer mutations.
    public static let body = 2 * 1024 * 1024
    /// Records in one answer; the rest follows in further rounds.
    public static let page = 10_000
    /// Bytes of fields in one answer, in canonical form. The answer ends with the record that reaches the limit.
    public static let pageBytes = 4 * 1024 * 1024
    /// The time in which the body of a request must arrive. A slower one is answered with 408.
    public static let bodyTime = Duration.seconds(30)
    /// Live records in one list. The next one is rejected as `full`.
    public static let records = 200_000
    /// Bytes of the fields of one account's records, including the lists that it owns, unless the operator sets another
    /// number. Once they are used, an edit is rejected as `full`.
    public static let storage = 256 * 1024 * 1024
    /// Lists of one account. The next one is rejected as `full`.
    public static let lists = 1_000
    /// Records of an account's own feed: its lists, its contacts and its profile, without the requests that wait for
    /// its answer. The next contact is rejected as `full`.
    public static let ownRecords = 21_000
    /// Requests that wait for one account's answer. Further ones are ignored, as if they were declined.
    public static let requests = 1_000
    /// People to whom one account sends requests in a day (UTC), resent ones included. More are rejected as
    /// `quotaExceeded`.
    public static let requestsADay = 200
    /// The pause before a request can be sent again.
    public static let resend = Duration.seconds(3600)
    /// The time for which a declined request stays declined, no matter how often it is sent again.
    public static let declined = Duration.days(7)
    /// People in the result of one directory search.
    public static let directory = 50
    /// People in one presence event; further people are in further events.
    public static let presences = 5_000
    /// Characters of a name in a directory search. More are answered with 400.
    public static let directoryName = 100
    /// Words of that name. More are answered with 400.
    public static let directoryWords = 10
    /// People whose name has a word that begins with the longest searched word. Only this many are checked for the
    /// other words.
    public static let directoryCandidates = 10_000
    /// Pictures of one account. Beyond it, the oldest picture that its profile does not refer to is deleted.
    public static let pictures = 8
    /// The time for which a picture is kept that no profile refers to.
    public static let unnamedPicture = Duration.days(1)
    /// Bytes of a picture's small size; larger is refused.
    public static let smallPicture = 64 * 1024
    /// Bytes of a picture's large size; larger is refused.
    public static let largePicture = 1024 * 1024
    /// People in one list. Beyond it, accepting a link is refused.
    public static let members = 200
    /// Live links of one list, invitations and public ones. Beyond it, creating another is refused.
    public static let links = 100
    /// People whom the owner of one list has removed and who are kept out. Beyond it, those removed first are
    /// forgotten.
    public static let removedPeople = 1_000
    /// Devices of one account that send. One more is refused.
    public static let devices = 1_000
    /// The time for which a tombstone is kept. A replica that was away for longer rereads the feed.
    public static let tombstones = Duration.days(90)
    /// The time for which a device keeps acknowledged mutations, to send them again to a restored server.
    public static let log = Duration.days(7)
    /// The maximum age of an edit; a greater one counts as this age.
    public static let age = Duration.days(366)
    /// The greatest absolute value of a sum.
    public static let sum: Int64 = 1_000_000_000_000
    /// The range of an item's count: sums are shown within it.
    public static let count: ClosedRange<Int64> = 1...9_999
    /// Fields of newer versions that one mutation may carry.
    public static let unknownFields = 32
    /// Bytes of a field's name.
    public static let fieldName = 64
    /// Bytes of a field of a newer version, in canonical form.
    public static let unknownField = 4096
    /// Fields of newer versions that one record may have. Adding more is rejected as `invalid`. Removed fields count
    /// too, because the time of their removal is stored.
    public static let carriedFields = 64
    /// Bytes of all of a record's fields of newer versions, in canonical form. More are rejected as `invalid`.
    public static let carriedBytes = 32 * 1024
    /// The deepest nesting of arrays and objects in a field of a newer version.
    public static let nesting = 8
    /// The number of a device's latest mutations whose outcomes the server stores.
    public static let remembered: Int64 = 1_000
    /// Bytes of an index key. If keys would become longer, that part of the list gets new keys.
    public static let indexKey = 128
    /// Characters of a device's name.
    public static let deviceName = 100
    /// Languages that a request for a message may name.
    public static let languages = 10
    /// Numbers and emails of one account. One more is refused.
    public static let identities = 100
    /// Blinded elements in one request. A device sends the others in the next one.
    public static let evaluations = 1_000
    /// Buckets in one request. The answer ends with the bucket that reaches ``pageBytes``; a device requests the others
    /// again.
    public static let buckets = 1_024
    /// The minimum number of entries in a bucket: a smaller bucket is padded.
    public static let bucketFloor = 256
    /// The minimum average of registered identities per bucket, so that few buckets need padding.
    public static let bucketCrowd = 320
    /// The number of bits by which the prefixes of a lookup may be shorter than the server's present ones, because
    /// buckets may have grown since they were described. Shorter prefixes are answered with 409.
    public static let bucketGrowth = 2
    /// The maximum number of bits of a bucket's prefix.
    public static let bucketBits = 20
    /// The time for which the previous key is still served, so that devices switch one after the other.
    public static let keyOverlap = Duration.days(30)
}
