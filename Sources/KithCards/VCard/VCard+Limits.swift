extension VCard {
    /// How large a card may be.
    public enum Limits {
        /// Bytes of one card, with what is in it. A larger one is a fault, and what comes after it is read.
        public static let bytes = 32 * 1024 * 1024
        /// Properties of one card; a fault beyond.
        public static let properties = 65_536
        /// Parameters of one property, and values of one parameter, that are read. Others stay as they are written.
        public static let parameters = 256
        /// Parts of one value that are told apart; what follows stays in the last of them.
        public static let parts = 65_536
        /// How deep cards may be nested in one; a fault beyond.
        public static let nesting = 8
    }
}
