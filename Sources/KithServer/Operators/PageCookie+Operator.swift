extension PageCookie {
    /// The cookie of an operator who has signed in. Browsers never send it when somebody comes from another website.
    package static let operatorPages = PageCookie("kith-operator", .strict, lifetime: OperatorSessionRow.lifetime)
}
