/// Every limit that both sides know, with its number. What happens at each is
/// in `Documentation/Protocol.md`, section "Limits".
public enum Limits {
    /// Mutations in one request. A device sends more in the next round.
    public static let mutations = 500
    /// Mutations in one group. A larger one is refused when it is written.
    public static let group = 500
    /// Bytes of one request's body: 413 beyond, and the device sends fewer mutations.
    public static let body = 2 * 1024 * 1024
    /// Records in one answer; the rest follows in further rounds.
    public static let page = 10_000
    /// Bytes of fields in one answer, in canonical form; it ends with the record that reaches them.
    public static let pageBytes = 4 * 1024 * 1024
    /// How long the body of a request may take to arrive: 408 beyond.
    public static let bodyTime = Duration.seconds(30)
    /// Live records in one list: the next is rejected as `full`.
    public static let records = 200_000
    /// Bytes of the fields of one account's records, those of the lists that it owns included, unless the operator sets
    /// another number: an edit is rejected as `full` when they are used.
    public static let storage = 256 * 1024 * 1024
    /// Lists of one account: the next is rejected as `full`.
    public static let lists = 1_000
    /// Records of an account's own feed: its lists, its contacts and its profile, but for the requests that wait for its
    /// answer. The next contact is rejected as `full`.
    public static let ownRecords = 21_000
    /// Requests that wait for one account's answer: the next that somebody makes is not heard, as one that was declined.
    public static let requests = 1_000
    /// People that one account asks in a day (UTC), those that it asks again included; rejected as `quotaExceeded` beyond.
    public static let requestsADay = 200
    /// How long after a request it can be sent again.
    public static let resend = Duration.seconds(3600)
    /// How long a declined request stays declined, however often it is sent again.
    public static let declined = Duration.days(7)
    /// People that one search of the directory names.
    public static let directory = 50
    /// People in one event about who is online; more are told in further events.
    public static let presences = 5_000
    /// Characters of the name that a search of the directory looks for: 400 beyond.
    public static let directoryName = 100
    /// Words of that name: 400 beyond.
    public static let directoryWords = 10
    /// People with a name that begins as the longest of the words: as many are looked at for the others.
    public static let directoryCandidates = 10_000
    /// Pictures of one account: of those that its profile does not name, the oldest goes first.
    public static let pictures = 8
    /// How long a picture is kept that no profile names.
    public static let unnamedPicture = Duration.days(1)
    /// Bytes of a picture's small size; larger is refused.
    public static let smallPicture = 64 * 1024
    /// Bytes of a picture's large size; larger is refused.
    public static let largePicture = 1024 * 1024
    /// People in one list: accepting a link is refused beyond.
    public static let members = 200
    /// Live links of one list, invitations and public ones: making another is refused beyond.
    public static let links = 100
    /// People that the owner of one list has removed, and who are kept out: of more, the first removed are forgotten.
    public static let removedPeople = 1_000
    /// Devices of one account that send: one more is refused.
    public static let devices = 1_000
    /// How long a tombstone is kept. A replica that was away for longer rereads the feed.
    public static let tombstones = Duration.days(90)
    /// How long a device keeps what was acknowledged, to send it again to a restored server.
    public static let log = Duration.days(7)
    /// The greatest age that an edit is taken to have.
    public static let age = Duration.days(366)
    /// The greatest sum, either way.
    public static let sum: Int64 = 1_000_000_000_000
    /// How many of an item there can be: sums are shown within it.
    public static let count: ClosedRange<Int64> = 1...9_999
    /// Fields of newer versions that one mutation may carry.
    public static let unknownFields = 32
    /// Bytes of the name of a field.
    public static let fieldName = 64
    /// Bytes of a field of a newer version, in canonical form.
    public static let unknownField = 4096
    /// Fields of newer versions that one record may have; who adds more is rejected as `invalid`.
    /// Those that were removed count too: when they were is remembered.
    public static let carriedFields = 64
    /// Bytes of a record's fields of newer versions together, in canonical form; rejected as `invalid` beyond.
    public static let carriedBytes = 32 * 1024
    /// How deep arrays and objects in a field of a newer version may nest.
    public static let nesting = 8
    /// How many numbers back the server remembers what became of a device's mutations.
    public static let remembered: Int64 = 1_000
    /// Bytes of an index key; where keys would grow longer, that part of the list is spread again.
    public static let indexKey = 128
    /// Numbers and emails of one account: one more is refused.
    public static let identities = 100
    /// Blinded elements in one request. A device sends more in the next one.
    public static let evaluations = 1_000
    /// Buckets in one request. The answer ends with the one that brings it to ``pageBytes``; a device asks for the rest.
    public static let buckets = 1_024
    /// Entries that a bucket has at the least: it is padded up to that.
    public static let bucketFloor = 256
    /// Registered identities that a bucket has on the average at the least, so that few need padding.
    public static let bucketCrowd = 320
    /// How many bits fewer than the server's prefixes have now a look-up may name: the buckets may have grown since they
    /// were described. 409 beyond.
    public static let bucketGrowth = 2
    /// Bits of a bucket's prefix at the most.
    public static let bucketBits = 20
    /// How long the key before the current one is served, so that devices move over one by one.
    public static let keyOverlap = Duration.days(30)
}
