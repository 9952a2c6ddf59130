import TextEncodings

/// The limits that client and server share. `Documentation/Protocol.md`, section "Limits", describes what happens at
/// each limit.
public enum Limits {
    /// Mutations in one request. A device sends further ones in the next round.
    public static let mutations = 500
    /// The numbers of mutations. Every JSON parser reads them exactly.
    package static let numbers: ClosedRange<Int64> = 0...(1 << 53)
    /// Mutations in one group. A larger one is refused when it is written.
    public static let group = 500
    /// Bytes of a request's body. A larger body is answered with 413, and the device then sends fewer mutations.
    public static let body = 2 * 1024 * 1024
    /// Records in one answer; the rest follows in further rounds.
    public static let page = 10_000
    /// Bytes of fields in one answer, in canonical form. The answer ends with the record that reaches the limit.
    public static let pageBytes = 4 * 1024 * 1024
    /// The time within which the body of a request must arrive. A slower one is answered with 408.
    public static let bodyTime = Duration.seconds(30)
    /// Live records in one list. A further one is rejected as `full`.
    public static let records = 200_000
    /// Bytes of the fields of one account's records, including the lists that it owns, unless the operator sets another
    /// number. Beyond it, an edit is rejected as `full`.
    public static let storage = 256 * 1024 * 1024
    /// Lists of one account. A further one is rejected as `full`.
    public static let lists = 1_000
    /// Lists that one account can make in a day (UTC), including deleted ones. Further ones are rejected as
    /// `quotaExceeded`.
    public static let listsADay = 2_000
    /// Records in an account's own feed: its lists, its contacts, its profile, and what it shares and earns, without the
    /// requests that wait for its answer. A further contact is rejected as `full`; shares and rewards are not.
    public static let ownRecords = 21_000
    /// Requests that wait for one account's answer. Further ones are ignored, as if they were declined.
    public static let requests = 1_000
    /// Requests that one account can send in a day (UTC), including resent ones. Further requests are rejected
    /// as `quotaExceeded`.
    public static let requestsADay = 200
    /// The minimum time before a request can be sent again.
    public static let resend = Duration.seconds(3600)
    /// The time for which a declined request stays declined, no matter how often it is sent again.
    public static let declined = Duration.days(7)
    /// Invitations that one call can send.
    public static let invitations = 100
    /// Invitations of one account in a day (UTC), including those that are sent again. Further ones fail.
    public static let invitationsADay = 200
    /// Invitations from one network, a /24 of IPv4 or a /56 of IPv6, in a day (UTC), of all accounts together. Further
    /// ones fail. Each of five accounts of an office can send ``invitationsADay``.
    public static let invitationsOfNetworkADay = 1_000
    /// Characters of an invitation's text.
    public static let invitationText = 2_000
    /// How long an invitation and its links are valid after it was last queued or reported: see ``Invitation/notified``.
    public static let invitation = Duration.days(14)
    /// People in the result of one directory search.
    public static let directory = 50
    /// People in one presence event. Further people are in further events.
    public static let presences = 5_000
    /// Characters of a name in a directory search. A longer name is answered with 400.
    public static let directoryName = 100
    /// Words of a name in a directory search. More words are answered with 400.
    public static let directoryWords = 10
    /// In a directory search, candidates with a name that has the longest searched word as the beginning of a word.
    /// Only this many are checked for the other words.
    public static let directoryCandidates = 10_000
    /// Pictures of one account. Beyond it, the oldest picture that its profile does not refer to is deleted.
    public static let pictures = 8
    /// How long a picture is kept that no profile refers to.
    public static let unnamedPicture = Duration.days(1)
    /// Bytes of a picture's small size. A larger one is refused.
    public static let smallPicture = 64 * 1024
    /// Bytes of a picture's large size. A larger one is refused.
    public static let largePicture = 1024 * 1024
    /// People in one list. Beyond it, accepting a link is refused.
    public static let members = 200
    /// Live links of one list, invitations and public ones. Beyond it, creating another is refused.
    public static let links = 100
    /// People that the owner of one list has removed and who cannot join again. Beyond it, those who were removed first
    /// are forgotten.
    public static let removedPeople = 1_000
    /// Devices of one account that send mutations. A further one is refused.
    public static let devices = 1_000
    /// Sessions of one account. When a further one is opened, the one that was used least recently is closed.
    public static let sessions = 1_000
    /// How long a tombstone is kept. A replica that was away for longer rereads the feed.
    public static let tombstones = Duration.days(90)
    /// How long a device keeps acknowledged mutations, to send them again to a restored server.
    public static let log = Duration.days(7)
    /// The maximum age of an edit. A greater age counts as this one.
    public static let age = Duration.days(366)
    /// The greatest absolute value of a sum.
    public static let sum: Int64 = 1_000_000_000_000
    /// The range of an item's count. Sums are limited to it when they are shown.
    public static let count: ClosedRange<Int64> = 1...9_999
    /// Fields of newer versions that one mutation may carry.
    public static let unknownFields = 32
    /// Combining marks in a row in a text. A request with more is answered with 400, and an edit is refused when it is
    /// written.
    package static let combiningMarks = StreamSafeText.most
    /// Bytes of a field's name.
    public static let fieldName = 64
    /// Bytes of a field of a newer version, in canonical form.
    public static let unknownField = 4096
    /// Fields of newer versions in one record. Further ones are rejected as `invalid`. Removed fields count too,
    /// because the time of their removal is stored.
    public static let carriedFields = 64
    /// Bytes of all fields of newer versions in one record, in canonical form. More are rejected as `invalid`.
    public static let carriedBytes = 32 * 1024
    /// The deepest nesting of arrays and objects in a field of a newer version.
    public static let nesting = 8
    /// The number of latest mutations of a device whose outcomes the server stores. It may store up to a hundred more.
    public static let remembered: Int64 = 1_000
    /// Bytes of an index key. Where keys would become longer, that part of the list gets new keys.
    public static let indexKey = 128
    /// Characters of a device's name.
    public static let deviceName = 100
    /// Languages that a request for a message may name.
    public static let languages = 10
    /// Numbers and emails of one account. A further one is refused.
    public static let identities = 100
    /// Blinded elements in one request. A device sends further ones in the next request.
    public static let evaluations = 1_000
    /// Buckets in one request. The answer ends with the bucket that reaches ``pageBytes``; a device requests the others
    /// again.
    public static let buckets = 1_024
    /// The minimum number of entries in a bucket. A smaller bucket is padded.
    public static let bucketFloor = 256
    /// The minimum average of registered identities per bucket, so that few buckets need padding.
    public static let bucketCrowd = 320
    /// By how many bits the prefixes of a lookup may be shorter than the server's current ones, because buckets may
    /// have grown since the device learned the number of bits. Shorter prefixes are answered with 409.
    public static let bucketGrowth = 2
    /// The maximum number of bits of a bucket's prefix.
    public static let bucketBits = 20
    /// How long the previous key is still served after a rotation, so that not all devices switch at the same time.
    public static let keyOverlap = Duration.days(30)
    /// Shareables of one account. A further one is rejected as `full`.
    public static let shareables = 100
    /// Shares of one account. A further one is rejected as `full`.
    public static let shares = 10_000
    /// Shares by email of one account in a day (UTC). Further ones fail. A programme can permit fewer.
    public static let emailSharesADay = 100
    /// Recipients of one call that shares by email.
    public static let bulkShares = 100
    /// Channels of shares in one programme whose names devices have made up. Shares by further ones count as `link`.
    package static let madeUpChannels = 50
    /// Codes that one account has used. A further one is rejected as `full`.
    public static let claims = 100
    /// How long after a sign-up the code of somebody who has shared can still be used.
    public static let lateClaim = Duration.days(1)
    /// Events for rewards of one account in a day (UTC). Further ones are rejected as `quotaExceeded`.
    public static let sharingEventsADay = 1_000
    /// Characters of an app's own JSON object in a shareable, a share or an event.
    public static let sharingData = 4_000
    /// Characters of a shareable's content.
    public static let shareableContent = 10_000
    /// Characters of the title of a programme's page, in each language.
    public static let programmeTitle = 200
    /// Characters of the text of a programme's page, in each language.
    public static let programmeText = 10_000
    /// Characters of a zone's content.
    public static let zoneContent = 10_000
}
