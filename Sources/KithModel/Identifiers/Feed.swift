/// The type that a ``FeedID`` identifies: the unit of sharing and ordering.
public enum Feed {}

/// The identity of a feed.
public typealias FeedID = RecordID<Feed>
