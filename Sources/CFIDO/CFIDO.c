#include "CFIDO.h"

#include <cbor.h>
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The layout of authenticator data (WebAuthn Level 3, section 6.1).
enum {
    flags_offset = 32,
    header_length = 37,
    aaguid_length = 16,
    has_credential = 0x40,
    has_extensions = 0x80,
};

// The deepest nesting of CBOR. An attestation object needs three levels.
enum { deepest_nesting = 8 };

// The lengths of public keys in libfido2's form: the coordinates; the point; the modulus and the exponent.
enum {
    es256_key_length = 64,
    eddsa_key_length = 32,
    rs256_key_length = CFIDOLongestKey,
};

// The members of an attestation object. They point into `item`.
typedef struct {
    cbor_item_t *item, *format, *statement, *data;
} Object;

static bool is_text(const cbor_item_t *item, const char *text) {
    return cbor_isa_string(item) && cbor_string_is_definite(item) && cbor_string_length(item) == strlen(text) &&
           memcmp(cbor_string_handle(item), text, strlen(text)) == 0;
}

// Moves over one item of CBOR; false if it is not well formed, nested too deeply, or longer than the bytes. libcbor
// writes to all memory that an array claims before it reads its elements, so every item is checked here first. As in
// CTAP2, lengths have to be definite.
static bool skip_nested(const uint8_t *bytes, size_t length, size_t *offset, unsigned depth) {
    if (depth == 0 || *offset >= length) return false;
    uint8_t first = bytes[*offset], kind = first >> 5, size = first & 31;
    uint64_t value = size;
    *offset += 1;
    if (size > 27) return false;
    if (size >= 24) {
        size_t count = (size_t)1 << (size - 24);
        if (length - *offset < count) return false;
        value = 0;
        for (size_t index = 0; index < count; index += 1) value = value << 8 | bytes[*offset + index];
        *offset += count;
    }
    switch (kind) {
    case 2: case 3:
        if (value > length - *offset) return false;
        *offset += (size_t)value;
        return true;
    case 4: case 5:
        if (value > length - *offset) return false;
        for (uint64_t index = 0; index < value * (kind == 5 ? 2 : 1); index += 1) {
            if (!skip_nested(bytes, length, offset, depth - 1)) return false;
        }
        return true;
    case 6:
        return skip_nested(bytes, length, offset, depth - 1);
    default:
        return true;
    }
}

static bool skip(const uint8_t *bytes, size_t length, size_t *offset) {
    return skip_nested(bytes, length, offset, deepest_nesting);
}

// Reads a map of exactly the three members. The caller releases `object->item`.
static bool read_object(const uint8_t *bytes, size_t length, Object *object) {
    struct cbor_load_result result;
    size_t end = 0;
    memset(object, 0, sizeof *object);
    if (!skip(bytes, length, &end) || end != length) return false;
    object->item = cbor_load(bytes, length, &result);
    if (object->item == NULL || result.read != length) return false;
    if (!cbor_isa_map(object->item) || cbor_map_size(object->item) != 3) return false;
    for (size_t index = 0; index < 3; index += 1) {
        const struct cbor_pair *pair = &cbor_map_handle(object->item)[index];
        if (is_text(pair->key, "fmt")) object->format = pair->value;
        if (is_text(pair->key, "attStmt")) object->statement = pair->value;
        if (is_text(pair->key, "authData")) object->data = pair->value;
    }
    return object->format != NULL && object->statement != NULL && object->data != NULL &&
           cbor_isa_string(object->format) && cbor_isa_map(object->statement) &&
           cbor_isa_bytestring(object->data) && cbor_bytestring_is_definite(object->data);
}

// Whether authenticator data ends where its flags say. libfido2 ignores what follows.
static bool is_complete(const uint8_t *data, size_t length, bool has_key) {
    size_t offset = header_length;
    if (length < header_length || ((data[flags_offset] & has_credential) != 0) != has_key) return false;
    if (has_key) {
        if (length < offset + aaguid_length + 2) return false;
        offset += aaguid_length + 2 + ((size_t)data[offset + aaguid_length] << 8 | data[offset + aaguid_length + 1]);
        if (!skip(data, length, &offset)) return false;
    }
    if ((data[flags_offset] & has_extensions) != 0 && !skip(data, length, &offset)) return false;
    return offset == length;
}

// Calls `body` with the key in libfido2's type, if it is a valid one.
static CFIDOResult with_key(
    int algorithm, const uint8_t *key, size_t length, CFIDOResult (*body)(const void *key, void *context),
    void *context) {
    CFIDOResult result = CFIDOUnsupportedKey;
    switch (algorithm) {
    case COSE_ES256: {
        es256_pk_t *typed = es256_pk_new();
        if (typed == NULL) return CFIDOFailed;
        if (length == es256_key_length && es256_pk_from_ptr(typed, key, length) == FIDO_OK) result = body(typed, context);
        es256_pk_free(&typed);
        return result;
    }
    case COSE_EDDSA: {
        eddsa_pk_t *typed = eddsa_pk_new();
        if (typed == NULL) return CFIDOFailed;
        if (length == eddsa_key_length && eddsa_pk_from_ptr(typed, key, length) == FIDO_OK) result = body(typed, context);
        eddsa_pk_free(&typed);
        return result;
    }
    case COSE_RS256: {
        rs256_pk_t *typed = rs256_pk_new();
        if (typed == NULL) return CFIDOFailed;
        if (length == rs256_key_length && rs256_pk_from_ptr(typed, key, length) == FIDO_OK) result = body(typed, context);
        rs256_pk_free(&typed);
        return result;
    }
    default:
        return result;
    }
}

// Whether a COSE key has exactly the parameters of its algorithm (WebAuthn Level 3, section 6.5.1.1). libfido2 reads a
// missing coordinate as zeros.
static bool has_parameters(const uint8_t *bytes, size_t length, int algorithm) {
    struct cbor_load_result result;
    cbor_item_t *key = cbor_load(bytes, length, &result);
    unsigned found = 0, wanted = algorithm == COSE_ES256 ? 0x6 : algorithm == COSE_EDDSA ? 0x2 : 0x3;
    size_t count = algorithm == COSE_ES256 ? 5 : 4;
    bool is_exact = key != NULL && cbor_isa_map(key) && cbor_map_size(key) == count;
    for (size_t index = 0; is_exact && index < count; index += 1) {
        const struct cbor_pair *pair = &cbor_map_handle(key)[index];
        // The labels -1, -2 and -3 are the negative integers 0, 1 and 2 of CBOR.
        if (cbor_isa_negint(pair->key) && cbor_isa_bytestring(pair->value) && cbor_get_int(pair->key) < 3) {
            found |= 1u << cbor_get_int(pair->key);
        }
    }
    if (key != NULL) cbor_decref(&key);
    return is_exact && found == wanted;
}

static CFIDOResult accept_key(const void *key, void *context) {
    (void)key;
    (void)context;
    return CFIDOVerified;
}

// Whether an attestation statement names this algorithm. libfido2 does not compare it with the key's.
static bool has_algorithm(const cbor_item_t *statement, int algorithm) {
    size_t count = 0;
    for (size_t index = 0; index < cbor_map_size(statement); index += 1) {
        const struct cbor_pair *pair = &cbor_map_handle(statement)[index];
        if (!is_text(pair->key, "alg")) continue;
        if (!cbor_isa_negint(pair->value) || cbor_get_int(pair->value) != (uint64_t)(-algorithm - 1)) return false;
        count += 1;
    }
    return count == 1;
}

// The signature of a self attestation. libfido2 compares the extensions with those that were requested. A server
// cannot know what a client requests by itself, so both of a browser's own extensions are taken from the data.
static CFIDOResult verify_self(
    fido_cred_t *cred, const Object *object, const uint8_t *client_data_hash, const char *rp_id, size_t extensions) {
    const uint8_t *data = cbor_bytestring_handle(object->data);
    size_t length = cbor_bytestring_length(object->data), capacity = 0;
    unsigned char *statement = NULL;
    CFIDOResult result = CFIDOWrongSignature;
    struct cbor_load_result loaded;
    if (!has_algorithm(object->statement, fido_cred_type(cred))) return CFIDOMalformed;
    if (extensions < length) {
        cbor_item_t *item = cbor_load(data + extensions, length - extensions, &loaded);
        if (item == NULL || !cbor_isa_map(item)) {
            if (item != NULL) cbor_decref(&item);
            return CFIDOMalformed;
        }
        int mask = 0, protection = 0;
        for (size_t index = 0; index < cbor_map_size(item); index += 1) {
            const struct cbor_pair *pair = &cbor_map_handle(item)[index];
            if (is_text(pair->key, "hmac-secret")) mask |= FIDO_EXT_HMAC_SECRET;
            if (is_text(pair->key, "credProtect") && cbor_isa_uint(pair->value)) {
                protection = (int)(cbor_get_int(pair->value) & 3);
            }
        }
        cbor_decref(&item);
        if (mask != 0 && fido_cred_set_extensions(cred, mask) != FIDO_OK) return CFIDOFailed;
        if (protection != 0 && fido_cred_set_prot(cred, protection) != FIDO_OK) return CFIDOFailed;
    }
    size_t size = cbor_serialize_alloc(object->statement, &statement, &capacity);
    if (size == 0) return CFIDOFailed;
    if (fido_cred_set_attstmt(cred, statement, size) != FIDO_OK) {
        result = CFIDOMalformed;
    } else if (fido_cred_x5c_ptr(cred) != NULL) {
        result = CFIDOUnsupportedFormat;
    } else if (
        fido_cred_set_fmt(cred, "packed") == FIDO_OK && fido_cred_set_rp(cred, rp_id, NULL) == FIDO_OK &&
        fido_cred_set_clientdata_hash(cred, client_data_hash, CFIDOHashLength) == FIDO_OK &&
        fido_cred_verify_self(cred) == FIDO_OK) {
        result = CFIDOVerified;
    }
    free(statement);
    return result;
}

// Reads the credential with one of the algorithms. libfido2 has to know the algorithm first.
static fido_cred_t *read_credential(const uint8_t *data, size_t length) {
    static const int algorithms[] = {COSE_ES256, COSE_EDDSA, COSE_RS256};
    for (size_t index = 0; index < sizeof algorithms / sizeof *algorithms; index += 1) {
        fido_cred_t *cred = fido_cred_new();
        if (cred != NULL && fido_cred_set_type(cred, algorithms[index]) == FIDO_OK &&
            fido_cred_set_authdata_raw(cred, data, length) == FIDO_OK) {
            return cred;
        }
        fido_cred_free(&cred);
    }
    return NULL;
}

static CFIDOResult verify(
    const Object *object, const uint8_t *client_data_hash, const char *rp_id, CFIDOCredential *credential) {
    const uint8_t *data = cbor_bytestring_handle(object->data);
    size_t length = cbor_bytestring_length(object->data);
    bool is_none = is_text(object->format, "none");
    if (!is_none && !is_text(object->format, "packed")) return CFIDOUnsupportedFormat;
    if (is_none && cbor_map_size(object->statement) != 0) return CFIDOMalformed;
    if (!is_complete(data, length, true)) return CFIDOMalformed;

    fido_cred_t *cred = read_credential(data, length);
    if (cred == NULL) return CFIDOUnsupportedKey;
    size_t id_length = fido_cred_id_len(cred), key_length = fido_cred_pubkey_len(cred);
    CFIDOResult result = CFIDOMalformed;
    size_t key_offset = header_length + aaguid_length + 2 + id_length;
    if (id_length > 0 && id_length <= CFIDOLongestID && key_length > 0 && key_length <= CFIDOLongestKey) {
        result = !has_parameters(data + key_offset, length - key_offset, fido_cred_type(cred))
                     ? CFIDOUnsupportedKey
                     : with_key(fido_cred_type(cred), fido_cred_pubkey_ptr(cred), key_length, accept_key, NULL);
    }
    if (result == CFIDOVerified && !is_none) {
        size_t extensions = key_offset;
        if (!skip(data, length, &extensions)) extensions = length;
        result = verify_self(cred, object, client_data_hash, rp_id, extensions);
    }
    if (result == CFIDOVerified) {
        memset(credential, 0, sizeof *credential);
        credential->algorithm = fido_cred_type(cred);
        credential->sign_count = fido_cred_sigcount(cred);
        credential->flags = data[flags_offset];
        memcpy(credential->rp_id_hash, data, CFIDOHashLength);
        credential->id_length = id_length;
        memcpy(credential->id, fido_cred_id_ptr(cred), id_length);
        credential->key_length = key_length;
        memcpy(credential->key, fido_cred_pubkey_ptr(cred), key_length);
    }
    fido_cred_free(&cred);
    return result;
}

CFIDOResult CFIDOVerifyRegistration(
    const uint8_t *object, size_t object_length, const uint8_t *client_data_hash, const char *rp_id,
    CFIDOCredential *credential) {
    Object members;
    if (object == NULL || object_length == 0 || object_length > CFIDOLargestInput) return CFIDOMalformed;
    CFIDOResult result = CFIDOMalformed;
    if (read_object(object, object_length, &members)) result = verify(&members, client_data_hash, rp_id, credential);
    if (members.item != NULL) cbor_decref(&members.item);
    return result;
}

typedef struct {
    const fido_assert_t *assertion;
    int algorithm;
} Assertion;

static CFIDOResult verify_signature(const void *key, void *context) {
    const Assertion *assertion = context;
    return fido_assert_verify(assertion->assertion, 0, assertion->algorithm, key) == FIDO_OK ? CFIDOVerified
                                                                                             : CFIDOWrongSignature;
}

CFIDOResult CFIDOVerifyAssertion(
    const uint8_t *data, size_t data_length, const uint8_t *signature, size_t signature_length,
    const uint8_t *client_data_hash, const char *rp_id, int32_t algorithm, const uint8_t *key, size_t key_length) {
    if (data == NULL || signature == NULL || key == NULL || signature_length == 0) return CFIDOMalformed;
    if (data_length > CFIDOLargestInput || signature_length > CFIDOLargestInput) return CFIDOMalformed;
    if (!is_complete(data, data_length, false)) return CFIDOMalformed;

    fido_assert_t *assertion = fido_assert_new();
    if (assertion == NULL) return CFIDOFailed;
    CFIDOResult result = CFIDOMalformed;
    if (fido_assert_set_clientdata_hash(assertion, client_data_hash, CFIDOHashLength) == FIDO_OK &&
        fido_assert_set_rp(assertion, rp_id) == FIDO_OK && fido_assert_set_count(assertion, 1) == FIDO_OK &&
        fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK &&
        fido_assert_set_uv(assertion, FIDO_OPT_TRUE) == FIDO_OK &&
        fido_assert_set_authdata_raw(assertion, 0, data, data_length) == FIDO_OK &&
        fido_assert_set_sig(assertion, 0, signature, signature_length) == FIDO_OK) {
        Assertion context = {assertion, algorithm};
        result = with_key(algorithm, key, key_length, verify_signature, &context);
    }
    fido_assert_free(&assertion);
    return result;
}
