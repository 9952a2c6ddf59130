#include "CCurl.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

struct CCurlExchange {
    CURL *easy;
    // A single request does not need a multi handle, but only a multi handle can be woken.
    CURLM *multi;
    atomic_bool is_cancelled;
    atomic_bool is_halted;
    struct curl_slist *headers;
    // The receiver's context is NULL while no request is being performed.
    CCurlReceiver receiver;
    // The addresses that the request permits, and whether it has permitted and forbidden any.
    bool (*permits)(const uint8_t *address, size_t length);
    bool has_permitted;
    bool has_forbidden;
    // The email that is being sent, how much of it is sent, when that or then the reply has to be there, and what became of
    // it. The email is NULL if none is being sent.
    const CCurlMail *mail;
    size_t mail_offset;
    int64_t mail_end;
    // Why the email was ended by ``hear_progress``.
    CURLcode mail_reason;
    CCurlMailResult *mail_result;
    // Whether the last line of a reply announced another one.
    bool is_reply_open;
    // Whether the connection is being ended with QUIT, and when that has to be over.
    bool is_quitting;
    int64_t quit_end;
    char message[CURL_ERROR_SIZE];
};

// libcurl's functions. An app that sends nothing must not need the library, so it is loaded with the first exchange
// and not linked.
#define FUNCTIONS(X) \
    X(global_init) X(easy_init) X(easy_setopt) X(easy_getinfo) X(easy_reset) X(easy_cleanup) X(easy_strerror) \
    X(multi_init) X(multi_add_handle) X(multi_remove_handle) X(multi_perform) X(multi_poll) X(multi_wakeup) \
    X(multi_info_read) X(multi_cleanup) X(slist_append) X(slist_free_all)

static struct {
#define MEMBER(name) __typeof__(&curl_##name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    bool is_loaded;
} curl;

static void load_library(void) {
#ifdef __APPLE__
    void *library = dlopen("libcurl.4.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) return;
#define LOAD(name) if (!(curl.name = (__typeof__(curl.name))dlsym(library, "curl_" #name))) return;
    FUNCTIONS(LOAD)
#undef LOAD
    curl.is_loaded = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

bool CCurlIsAvailable(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_library);
    return curl.is_loaded;
}

CCurlExchange *CCurlExchangeMake(void) {
    CCurlExchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange) return NULL;
    exchange->easy = curl.easy_init();
    exchange->multi = curl.multi_init();
    atomic_init(&exchange->is_cancelled, false);
    atomic_init(&exchange->is_halted, false);
    if (exchange->easy && exchange->multi) return exchange;
    curl.easy_cleanup(exchange->easy);
    curl.multi_cleanup(exchange->multi);
    free(exchange);
    return NULL;
}

void CCurlExchangeReset(CCurlExchange *exchange) {
    curl.multi_remove_handle(exchange->multi, exchange->easy);
    curl.easy_reset(exchange->easy);
    curl.slist_free_all(exchange->headers);
    exchange->headers = NULL;
    atomic_store(&exchange->is_cancelled, false);
    atomic_store(&exchange->is_halted, false);
}

// The time limit for the reply to QUIT, in milliseconds.
static const int64_t quit_limit = 10000;

void CCurlExchangeFree(CCurlExchange *exchange) {
    CCurlExchangeReset(exchange);
    // libcurl closes connections with the time limits of the request that was added last. Those of an email are long.
    curl.easy_setopt(exchange->easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, (long)(quit_limit / 1000));
    curl.multi_add_handle(exchange->multi, exchange->easy);
    curl.multi_remove_handle(exchange->multi, exchange->easy);
    curl.easy_cleanup(exchange->easy);
    curl.multi_cleanup(exchange->multi);
    free(exchange);
}

void CCurlExchangeCancel(CCurlExchange *exchange) {
    atomic_store(&exchange->is_cancelled, true);
    curl.multi_wakeup(exchange->multi);
}

void CCurlExchangeHalt(CCurlExchange *exchange) {
    atomic_store(&exchange->is_halted, true);
    curl.multi_wakeup(exchange->multi);
}

static size_t hear_header(char *line, size_t size, size_t count, void *exchange) {
    const CCurlReceiver *receiver = &((CCurlExchange *)exchange)->receiver;
    if (!receiver->context) return 0;
    receiver->header(receiver->context, line, size * count);
    return size * count;
}

static size_t hear_body(char *bytes, size_t size, size_t count, void *exchange) {
    const CCurlReceiver *receiver = &((CCurlExchange *)exchange)->receiver;
    return receiver->context && receiver->body(receiver->context, bytes, size * count) ? size * count : 0;
}

static bool is_permitted(const CCurlExchange *exchange, const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        return exchange->permits((const uint8_t *)&((const struct sockaddr_in *)address)->sin_addr, 4);
    }
    if (address->sa_family == AF_INET6) {
        return exchange->permits((const uint8_t *)&((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    }
    return false;
}

// libcurl has looked up the name, and connects to this address.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    CCurlExchange *exchange = context;
    (void)purpose;
    if (!is_permitted(exchange, &address->addr)) {
        exchange->has_forbidden = true;
        return CURL_SOCKET_BAD;
    }
    exchange->has_permitted = true;
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    return socket(address->family, type, address->protocol);
}

static CURLcode set_headers(CCurlExchange *exchange, const char *const *headers) {
    for (; *headers; ++headers) {
        struct curl_slist *longer = curl.slist_append(exchange->headers, *headers);
        if (!longer) return CURLE_OUT_OF_MEMORY;
        exchange->headers = longer;
    }
    return curl.easy_setopt(exchange->easy, CURLOPT_HTTPHEADER, exchange->headers);
}

static CURLcode set_up(CCurlExchange *exchange, const CCurlRequest *request) {
    CURL *easy = exchange->easy;
    CURLcode code = set_headers(exchange, request->headers);
#define SET(option, value) if (code == CURLE_OK) code = curl.easy_setopt(easy, option, value)
    SET(CURLOPT_ERRORBUFFER, exchange->message);
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_CUSTOMREQUEST, request->method);
    if (request->body) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
        SET(CURLOPT_COPYPOSTFIELDS, request->body);
    }
#if LIBCURL_VERSION_NUM >= 0x075500
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    if (request->is_direct) SET(CURLOPT_PROXY, "");
    if (request->digest_user) {
        SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_DIGEST);
        SET(CURLOPT_USERNAME, request->digest_user);
        SET(CURLOPT_PASSWORD, request->digest_password);
    }
    exchange->permits = request->permits;
    exchange->has_permitted = exchange->has_forbidden = false;
    if (request->permits) {
        SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
        SET(CURLOPT_OPENSOCKETDATA, exchange);
    }
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    // All encodings that this libcurl supports.
    SET(CURLOPT_ACCEPT_ENCODING, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_timeout);
    SET(CURLOPT_TIMEOUT_MS, (long)request->deadline);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, (long)request->silence);
    SET(CURLOPT_HEADERFUNCTION, hear_header);
    SET(CURLOPT_HEADERDATA, exchange);
    SET(CURLOPT_WRITEFUNCTION, hear_body);
    SET(CURLOPT_WRITEDATA, exchange);
#undef SET
    return code;
}

static CCurlOutcome outcome(CURLcode code) {
    switch (code) {
    case CURLE_OK:
        return CCurlAnswered;
    case CURLE_WRITE_ERROR:
        return CCurlStopped;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CACERT_BADFILE:
        return CCurlUntrusted;
    case CURLE_COULDNT_RESOLVE_HOST:
        return CCurlUnknownHost;
    case CURLE_SSL_CONNECT_ERROR:
        return CCurlTLSFailed;
    case CURLE_OPERATION_TIMEDOUT:
        return CCurlTimedOut;
    default:
        return CCurlFailed;
    }
}

// The time since any fixed moment, in milliseconds.
static int64_t uptime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Whether an email is being sent whose content is not handed over yet.
static bool is_handing_over(const CCurlExchange *exchange) {
    return exchange->mail && exchange->mail_offset < exchange->mail->content_length;
}

// Why the exchange has to end now, because it was cancelled, or because an email takes too long; `CURLE_OK` if it can go on.
static CURLcode reason_to_end(const CCurlExchange *exchange) {
    if (atomic_load(&exchange->is_cancelled)) return CURLE_ABORTED_BY_CALLBACK;
    if (is_handing_over(exchange) && atomic_load(&exchange->is_halted)) return CURLE_ABORTED_BY_CALLBACK;
    return exchange->mail && uptime() >= exchange->mail_end ? CURLE_OPERATION_TIMEDOUT : CURLE_OK;
}

// How long to wait for the network, in milliseconds.
static int64_t pause_of(const CCurlExchange *exchange) {
    int64_t left = exchange->mail ? exchange->mail_end - uptime() : 1000;
    return left < 0 ? 0 : left < 1000 ? left : 1000;
}

// Returns early if the exchange is cancelled. An email is ended by ``hear_progress``: if libcurl was not told, it would end
// the content, so that the relay takes a part of the email.
static CURLcode perform(CCurlExchange *exchange) {
    int running = 1;
    if (curl.multi_add_handle(exchange->multi, exchange->easy) != CURLM_OK) return CURLE_FAILED_INIT;
    while (running) {
        if (!exchange->mail && reason_to_end(exchange) != CURLE_OK) return reason_to_end(exchange);
        if (curl.multi_perform(exchange->multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
        int pause = (int)pause_of(exchange);
        if (running && curl.multi_poll(exchange->multi, NULL, 0, pause, NULL) != CURLM_OK) return CURLE_FAILED_INIT;
    }
    int left;
    const CURLMsg *message = curl.multi_info_read(exchange->multi, &left);
    CURLcode code = message ? message->data.result : CURLE_FAILED_INIT;
    return code == CURLE_ABORTED_BY_CALLBACK ? exchange->mail_reason : code;
}

// With CURLOPT_NOSIGNAL, libcurl does not do this itself.
static void block_sigpipe(void) {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
}

CCurlResult CCurlExchangePerform(CCurlExchange *exchange, const CCurlRequest *request, CCurlReceiver receiver) {
    block_sigpipe();
    exchange->message[0] = 0;
    exchange->receiver = receiver;
    CURLcode code = set_up(exchange, request);
    if (code == CURLE_OK) code = perform(exchange);
    exchange->receiver.context = NULL;

    CCurlResult result = {.outcome = outcome(code)};
    if (code == CURLE_ABORTED_BY_CALLBACK) result.outcome = CCurlCancelled;
    bool is_forbidden = exchange->has_forbidden && !exchange->has_permitted;
    if (code != CURLE_OK && result.outcome != CCurlCancelled && is_forbidden) result.outcome = CCurlForbidden;
    curl.easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &result.status);
    const char *message = exchange->message[0] ? exchange->message : curl.easy_strerror(code);
    if (code != CURLE_OK) snprintf(result.message, sizeof result.message, "%s", message);
    return result;
}

// MARK: Emails

static size_t read_mail(char *buffer, size_t size, size_t count, void *context) {
    CCurlExchange *exchange = context;
    size_t left = exchange->mail->content_length - exchange->mail_offset;
    size_t length = left < size * count ? left : size * count;
    memcpy(buffer, exchange->mail->content + exchange->mail_offset, length);
    exchange->mail_offset += length;
    if (exchange->mail_result && length) {
        bool is_all = !is_handing_over(exchange);
        exchange->mail_result->stage = is_all ? CCurlMailHandedOver : CCurlMailContent;
        if (is_all) exchange->mail_end = uptime() + exchange->mail->patience;
    }
    return length;
}

static bool is_command(const char *line, size_t size, const char *command) {
    size_t length = strlen(command);
    return size >= length && memcmp(line, command, length) == 0;
}

// Ends an email early. libcurl calls this after each step, and every second while it waits by itself for the replies to the
// content, and to QUIT after a refusal. It does not call it for the QUIT of ``CCurlExchangeFree``.
static int hear_progress(
    void *context, curl_off_t download, curl_off_t downloaded, curl_off_t upload, curl_off_t uploaded
) {
    CCurlExchange *exchange = context;
    (void)download, (void)downloaded, (void)upload, (void)uploaded;
    CURLcode reason = reason_to_end(exchange);
    if (reason != CURLE_OK) exchange->mail_reason = reason;
    return reason != CURLE_OK || (exchange->is_quitting && uptime() >= exchange->quit_end);
}

// Keeps a line of a reply. The lines of one reply are joined by spaces, as far as there is room, with its code once.
static void keep_line(CCurlExchange *exchange, const char *line, size_t size) {
    CCurlMailResult *result = exchange->mail_result;
    while (size && (line[size - 1] == '\r' || line[size - 1] == '\n')) --size;
    size_t start = 0;
    if (exchange->is_reply_open) {
        start = strlen(result->reply);
        if (start + 1 < sizeof result->reply) result->reply[start++] = ' ';
    }
    // A line that is followed by another one of the same reply has a hyphen after its code (RFC 5321, section 4.2.1).
    bool is_open = size > 3 && line[3] == '-';
    size_t skipped = exchange->is_reply_open ? (size < 4 ? size : 4) : 0;
    size_t room = sizeof result->reply - 1 - start;
    size_t length = size - skipped < room ? size - skipped : room;
    memcpy(result->reply + start, line + skipped, length);
    result->reply[start + length] = 0;
    if (is_open && !exchange->is_reply_open) result->reply[3] = ' ';
    exchange->is_reply_open = is_open;
}

// Learns the stage from the commands, and keeps the last reply. Passwords are in neither.
static int hear_mail(CURL *easy, curl_infotype type, char *line, size_t size, void *context) {
    CCurlExchange *exchange = context;
    CCurlMailResult *result = exchange->mail_result;
    (void)easy;
    if (type == CURLINFO_HEADER_OUT) {
        exchange->is_quitting = is_command(line, size, "QUIT");
        exchange->quit_end = uptime() + quit_limit;
    }
    // After a refusal, libcurl says goodbye. The reply to that is not about the email.
    if (!result || exchange->is_quitting) return 0;
    if (type == CURLINFO_HEADER_OUT) {
        if (is_command(line, size, "MAIL FROM:")) result->stage = CCurlMailSender;
        if (is_command(line, size, "RCPT TO:")) result->stage = CCurlMailRecipient;
        if (is_command(line, size, "DATA")) result->stage = CCurlMailData;
    } else if (type == CURLINFO_HEADER_IN) {
        keep_line(exchange, line, size);
    }
    return 0;
}

static long ssl_level(CCurlTLS tls) {
    switch (tls) {
    case CCurlNoTLS: return CURLUSESSL_NONE;
    case CCurlTLSAllowed: return CURLUSESSL_TRY;
    default: return CURLUSESSL_ALL;
    }
}

static CURLcode set_up_mail(CCurlExchange *exchange, const CCurlMail *mail) {
    CURL *easy = exchange->easy;
    CURLcode code = CURLE_OK;
    exchange->headers = curl.slist_append(NULL, mail->recipient);
    if (!exchange->headers) return CURLE_OUT_OF_MEMORY;
#define SET(option, value) if (code == CURLE_OK) code = curl.easy_setopt(easy, option, value)
    SET(CURLOPT_ERRORBUFFER, exchange->message);
    SET(CURLOPT_URL, mail->url);
#if LIBCURL_VERSION_NUM >= 0x075500
    SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
#else
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS));
#endif
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_USE_SSL, ssl_level(mail->tls));
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    if (mail->authorities) SET(CURLOPT_CAINFO, mail->authorities);
    if (mail->user) {
        SET(CURLOPT_USERNAME, mail->user);
        SET(CURLOPT_PASSWORD, mail->password);
    }
    SET(CURLOPT_MAIL_FROM, mail->from);
    SET(CURLOPT_MAIL_RCPT, exchange->headers);
    SET(CURLOPT_UPLOAD, 1L);
    SET(CURLOPT_READFUNCTION, read_mail);
    SET(CURLOPT_READDATA, exchange);
    SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)mail->content_length);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)mail->connect_timeout);
    SET(CURLOPT_TIMEOUT_MS, (long)(mail->deadline + mail->patience));
    // For each reply. Its default is two minutes.
    SET(CURLOPT_SERVER_RESPONSE_TIMEOUT, (long)((mail->deadline + mail->patience) / 1000 + 1));
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, hear_progress);
    SET(CURLOPT_XFERINFODATA, exchange);
    SET(CURLOPT_VERBOSE, 1L);
    SET(CURLOPT_DEBUGFUNCTION, hear_mail);
    SET(CURLOPT_DEBUGDATA, exchange);
#undef SET
    return code;
}

// Ends the connection of an email that has failed, if there still is one. If only the reply to the content is missing,
// libcurl keeps the connection. When it closes that, it would say QUIT, and wait for the replies to both.
static void hang_up(CCurlExchange *exchange) {
    curl_socket_t connection = CURL_SOCKET_BAD;
    curl.easy_getinfo(exchange->easy, CURLINFO_ACTIVESOCKET, &connection);
    if (connection != CURL_SOCKET_BAD) shutdown(connection, SHUT_RDWR);
}

CCurlMailResult CCurlExchangeSendMail(CCurlExchange *exchange, const CCurlMail *mail) {
    block_sigpipe();
    CCurlMailResult result = {.outcome = CCurlFailed};
    exchange->message[0] = 0;
    exchange->mail = mail;
    exchange->mail_offset = 0;
    exchange->is_reply_open = false;
    exchange->mail_end = uptime() + mail->deadline;
    exchange->mail_reason = CURLE_ABORTED_BY_CALLBACK;
    exchange->is_quitting = false;
    exchange->mail_result = &result;
    CURLcode code = set_up_mail(exchange, mail);
    if (code == CURLE_OK) code = perform(exchange);
    if (code != CURLE_OK) hang_up(exchange);
    // The connection may still speak when it is closed.
    exchange->mail_result = NULL;
    exchange->mail = NULL;

    result.outcome = code == CURLE_ABORTED_BY_CALLBACK ? CCurlCancelled : outcome(code);
    result.is_login_denied = code == CURLE_LOGIN_DENIED;
    curl.easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &result.status);
    const char *message = exchange->message[0] ? exchange->message : curl.easy_strerror(code);
    if (code != CURLE_OK) snprintf(result.message, sizeof result.message, "%s", message);
    return result;
}
