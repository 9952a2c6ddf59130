#ifndef KITH_CCURL_H
#define KITH_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A plain C face on libcurl: one HTTP request and its answer at a time.
///
/// libcurl's own functions take arguments of any type, which Swift cannot call.
/// No redirect is followed, no cookie is kept, certificates are verified, and
/// nothing but http and https is spoken.

/// What requests go through, one after the other. Keeps connections open in between.
typedef struct CCurlExchange CCurlExchange;

/// What is sent, and how long it may take.
typedef struct {
    const char *method;
    const char *url;
    /// `Name: value`, and NULL behind the last.
    const char *const *headers;
    /// NULL if there is none.
    const void *body;
    size_t body_length;
    /// Until there is a connection, in milliseconds.
    int64_t connect_timeout;
    /// Until the whole answer has come, in milliseconds.
    int64_t deadline;
    /// How long nothing may come or go, in seconds.
    int64_t silence;
    /// Whether the environment's proxy is passed by.
    bool is_direct;
    /// Who signs the request with Digest; NULL if nobody does. The password itself is not sent.
    const char *digest_user;
    const char *digest_password;
} CCurlRequest;

/// Who hears the answer while it comes. Called on the thread that performs the request.
typedef struct {
    void *context;
    /// One line of the head, status lines included, with its line end.
    void (*header)(void *context, const char *line, size_t length);
    /// A piece of the body, decompressed. False ends the exchange.
    bool (*body)(void *context, const char *bytes, size_t length);
} CCurlReceiver;

typedef enum {
    /// There is a whole answer.
    CCurlAnswered,
    /// ``CCurlExchangeCancel`` was called.
    CCurlCancelled,
    /// The receiver wanted no more.
    CCurlStopped,
    /// The server's certificate is not trusted.
    CCurlUntrusted,
    /// The deadline has passed, or nothing came for too long.
    CCurlTimedOut,
    /// There is no whole answer for another reason.
    CCurlFailed,
} CCurlOutcome;

/// What became of a request.
typedef struct {
    CCurlOutcome outcome;
    /// Of HTTP, if it was answered.
    long status;
    /// libcurl's words for a failure; empty if there was none.
    char message[256];
} CCurlResult;

/// A new one; NULL if there is no memory for it.
CCurlExchange *CCurlExchangeMake(void);

/// Sends a request and waits for its answer. To be called on a thread of the caller's own: from then on it takes no
/// SIGPIPE.
CCurlResult CCurlExchangePerform(CCurlExchange *exchange, const CCurlRequest *request, CCurlReceiver receiver);

/// Ends the request that is being performed, or that will be. May be called from any thread.
void CCurlExchangeCancel(CCurlExchange *exchange);

/// Makes it ready for the next request. After a failure this waits for a host name that is still being looked up.
void CCurlExchangeReset(CCurlExchange *exchange);

/// Resets it and frees it.
void CCurlExchangeFree(CCurlExchange *exchange);

#endif
