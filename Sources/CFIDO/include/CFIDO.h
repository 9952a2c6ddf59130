#ifndef KITH_CFIDO_H
#define KITH_CFIDO_H

#include <stddef.h>
#include <stdint.h>

/// A plain C interface to libfido2 that verifies what a WebAuthn client sends (WebAuthn Level 2, section 7). It uses no
/// device.
///
/// Results are written into the caller's memory, so there is nothing to free. Every function is thread-safe. The
/// functions check bytes, keys and signatures. The caller checks the client data, the relying party, the flags and the
/// counter, for which it can give better reasons.

#ifdef __cplusplus
extern "C" {
#endif

/// What a verification found.
typedef enum {
    CFIDOVerified,
    /// The bytes are not what WebAuthn specifies, or something follows them.
    CFIDOMalformed,
    /// The attestation is neither “none” nor a self attestation in the format “packed”.
    CFIDOUnsupportedFormat,
    /// The key is not one of ES256, EdDSA with Ed25519, and RS256 with 2048 bits, or not a valid one.
    CFIDOUnsupportedKey,
    /// The signature is not the key's, or does not cover this data.
    CFIDOWrongSignature,
    /// There is no memory.
    CFIDOFailed,
} CFIDOResult;

/// Lengths in bytes.
enum {
    /// A SHA-256.
    CFIDOHashLength = 32,
    /// The longest id of a credential (WebAuthn Level 2, section 4).
    CFIDOLongestID = 1023,
    /// The longest public key: the modulus and the exponent of RS256.
    CFIDOLongestKey = 259,
    /// The largest attestation object, authenticator data and signature. Larger ones are malformed.
    CFIDOLargestInput = 16384,
};

/// A new credential.
typedef struct {
    /// The COSE algorithm: -7 is ES256, -8 is EdDSA, -257 is RS256.
    int32_t algorithm;
    /// The counter of signatures.
    uint32_t sign_count;
    /// The flags of the authenticator data (WebAuthn Level 3, section 6.1).
    uint8_t flags;
    /// The SHA-256 of the relying party's id, as the authenticator knows it.
    uint8_t rp_id_hash[CFIDOHashLength];
    size_t id_length;
    uint8_t id[CFIDOLongestID];
    size_t key_length;
    /// The public key in libfido2's form.
    uint8_t key[CFIDOLongestKey];
} CFIDOCredential;

/// Verifies an attestation object and reads its credential.
///
/// `client_data_hash` is the SHA-256 of the client data, with CFIDOHashLength bytes. `rp_id` is the id of the relying
/// party, NUL-terminated. `credential` is written only if the result is CFIDOVerified.
CFIDOResult CFIDOVerifyRegistration(
    const uint8_t *object, size_t object_length, const uint8_t *client_data_hash, const char *rp_id,
    CFIDOCredential *credential);

/// Verifies the signature of an assertion with the public key of a credential: `algorithm` and `key` are those that
/// CFIDOVerifyRegistration has returned.
CFIDOResult CFIDOVerifyAssertion(
    const uint8_t *data, size_t data_length, const uint8_t *signature, size_t signature_length,
    const uint8_t *client_data_hash, const char *rp_id, int32_t algorithm, const uint8_t *key, size_t key_length);

#ifdef __cplusplus
}
#endif

#endif
