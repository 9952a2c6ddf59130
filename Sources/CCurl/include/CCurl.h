#ifndef KITH_CCURL_H
#define KITH_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A plain C interface to libcurl: one HTTP request and its answer, or one email, at a time.
///
/// Swift cannot call libcurl's variadic functions. This interface follows no redirects, keeps no cookies, verifies
/// certificates, and supports only http, https, smtp and smtps.

/// Performs requests, or sends emails, one after the other, and keeps connections open between them.
typedef struct CCurlExchange CCurlExchange;

/// A request and its time limits.
typedef struct {
    const char *method;
    const char *url;
    /// `Name: value`, with NULL after the last.
    const char *const *headers;
    /// The body; NULL if there is none.
    const void *body;
    size_t body_length;
    /// The time limit for connecting, in milliseconds.
    int64_t connect_timeout;
    /// The time limit for the whole answer, in milliseconds.
    int64_t deadline;
    /// The time limit without any data during a transfer, in seconds.
    int64_t silence;
    /// Whether to ignore the proxy that the environment names.
    bool is_direct;
    /// The user name for Digest authentication; NULL for none. The password itself is not sent.
    const char *digest_user;
    const char *digest_password;
    /// Whether the exchange may connect to an IP address of 4 or 16 bytes; NULL if it may connect to all. It decides
    /// about the address of each connection, so a name cannot lead anywhere else.
    bool (*permits)(const uint8_t *address, size_t length);
} CCurlRequest;

/// Receives the answer while it arrives. Called on the thread that performs the request.
typedef struct {
    void *context;
    /// A line of the head with its line end. Includes status lines.
    void (*header)(void *context, const char *line, size_t length);
    /// A part of the body, decompressed. Returning false ends the exchange.
    bool (*body)(void *context, const char *bytes, size_t length);
} CCurlReceiver;

typedef enum {
    /// The answer is complete.
    CCurlAnswered,
    /// ``CCurlExchangeCancel`` was called.
    CCurlCancelled,
    /// The receiver returned false.
    CCurlStopped,
    /// The server's certificate is not trusted.
    CCurlUntrusted,
    /// The server's name leads to no address: there is no such host, or no network to look it up.
    CCurlUnknownHost,
    /// The TLS handshake failed, for another reason than the certificate.
    CCurlTLSFailed,
    /// The deadline has passed, or no data arrived for too long.
    CCurlTimedOut,
    /// The request does not permit the address of the server.
    CCurlForbidden,
    /// The answer is incomplete for another reason.
    CCurlFailed,
} CCurlOutcome;

/// The result of a request.
typedef struct {
    CCurlOutcome outcome;
    /// The HTTP status, if there was an answer.
    long status;
    /// libcurl's message for a failure; empty if there was none.
    char message[256];
} CCurlResult;

/// Whether the system has libcurl. The first call loads it; a program that never calls this runs without the library.
bool CCurlIsAvailable(void);

/// Creates an exchange; NULL if memory has run out. Call it only if ``CCurlIsAvailable`` is true.
CCurlExchange *CCurlExchangeMake(void);

/// Sends a request and waits for its answer. Call it on a thread of your own, because it blocks SIGPIPE on that thread.
CCurlResult CCurlExchangePerform(CCurlExchange *exchange, const CCurlRequest *request, CCurlReceiver receiver);

/// Whether to encrypt a connection that begins with `smtp:`.
typedef enum {
    /// Never.
    CCurlNoTLS,
    /// If the relay offers STARTTLS.
    CCurlTLSAllowed,
    /// Always. Without STARTTLS, nothing is sent.
    CCurlTLSRequired,
} CCurlTLS;

/// An email and the relay that takes it (RFC 5321).
typedef struct {
    /// `smtp://host:port/name` or `smtps://host:port/name`; the name is the one of EHLO.
    const char *url;
    /// For `smtp:` only; `smtps:` is encrypted from the start.
    CCurlTLS tls;
    /// A file of the certificates to trust, in PEM; NULL for those of the system.
    const char *authorities;
    /// The user name for AUTH; NULL for none.
    const char *user;
    const char *password;
    /// The addresses of the envelope, without brackets.
    const char *from;
    const char *recipient;
    /// The email in lines that end with CRLF. Dots at the beginning of a line are doubled on the way.
    const char *content;
    size_t content_length;
    /// The time limit for connecting, in milliseconds.
    int64_t connect_timeout;
    /// The time limit until the whole content is handed over, in milliseconds.
    int64_t deadline;
    /// The time limit for the reply to the content after that, in milliseconds.
    int64_t patience;
} CCurlMail;

/// How far an email came.
typedef enum {
    /// Not even its sender was named: the relay cannot be reached, or refuses every email.
    CCurlMailUnsent,
    CCurlMailSender,
    CCurlMailRecipient,
    /// The relay was asked whether it takes the content.
    CCurlMailData,
    /// A part of the content was sent.
    CCurlMailContent,
    /// The whole content was handed over. Only the reply to it is missing, so the relay may have taken the email.
    CCurlMailHandedOver,
} CCurlMailStage;

/// The result of an email.
typedef struct {
    /// `CCurlAnswered` if the relay has taken the email.
    CCurlOutcome outcome;
    CCurlMailStage stage;
    /// Whether the relay refused the user name or the password.
    bool is_login_denied;
    /// The last reply's code; 0 if there was none.
    long status;
    /// The lines of the last reply, joined by spaces, as far as there is room, with its code once; empty if there was none.
    char reply[256];
    /// libcurl's message for a failure; empty if there was none.
    char message[256];
} CCurlMailResult;

/// Sends an email and waits for the reply. The connection stays open for the next one; ``CCurlExchangeFree`` ends it
/// with QUIT. After a failure it is closed, and the exchange can only be freed. Call it on a thread of your own, because it
/// blocks SIGPIPE on that thread.
CCurlMailResult CCurlExchangeSendMail(CCurlExchange *exchange, const CCurlMail *mail);

/// Ends the current request, or the next one if there is none. May be called from any thread.
void CCurlExchangeCancel(CCurlExchange *exchange);

/// Ends the current email, or the next one if there is none, unless its whole content was handed over: then the reply is
/// worth waiting for. May be called from any thread.
void CCurlExchangeHalt(CCurlExchange *exchange);

/// Prepares the exchange for the next request. After a failure, this waits for a host name lookup in progress to end.
void CCurlExchangeReset(CCurlExchange *exchange);

/// Resets and frees the exchange. After an email was sent, it waits for the reply to QUIT, for ten seconds at most.
void CCurlExchangeFree(CCurlExchange *exchange);

#endif
