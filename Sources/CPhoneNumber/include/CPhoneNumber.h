#ifndef KITH_CPHONENUMBER_H
#define KITH_CPHONENUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A plain C interface to libphonenumber. It returns the properties of a number as values.
///
/// A text is passed as UTF-8 with its length in bytes, a region as two capital letters, or NULL if there is none.
/// Results are written into memory of the caller, so there is nothing to free. Every function may be called from any
/// thread at any time, and no C++ exception leaves one.

#ifdef __cplusplus
extern "C" {
#endif

/// A telephone number, taken apart.
typedef struct {
    /// 43 for Austria.
    int32_t country_code;
    /// The number of leading zeros that belong to `national_number`, as in Italy.
    int32_t leading_zeros;
    /// The digits after the country code, without leading zeros.
    uint64_t national_number;
    /// Whether the country code was written after a plus or an international prefix, and not taken from the region.
    bool has_country_code;
    /// The digits to dial after the call is answered; empty if there are none. Ends with a NUL.
    char extension[24];
} CPhoneNumber;

/// The kind of line, by its country's plan.
typedef enum {
    CPhoneNumberUnknown,
    CPhoneNumberFixedLine,
    CPhoneNumberMobile,
    CPhoneNumberFixedLineOrMobile,
    CPhoneNumberTollFree,
    CPhoneNumberPremiumRate,
    CPhoneNumberSharedCost,
    CPhoneNumberVoIP,
    CPhoneNumberPersonal,
    CPhoneNumberPager,
    CPhoneNumberCompany,
    CPhoneNumberVoicemail,
} CPhoneNumberKind;

/// Whether a number has as many digits as one of its country's plan.
typedef enum {
    CPhoneNumberLengthKnown,
    /// As many as a number that lacks its area code.
    CPhoneNumberLengthLocal,
    CPhoneNumberLengthTooShort,
    CPhoneNumberLengthOther,
} CPhoneNumberLength;

/// Whether a number is dialled within one country only.
typedef enum {
    /// Also a short number that the plan knows and that can be dialled from everywhere.
    CPhoneNumberNotShort,
    /// It has as many digits as such numbers have, or too few for a number of a country with longer ones.
    CPhoneNumberMaybeShort,
    /// The plan knows it.
    CPhoneNumberShort,
} CPhoneNumberShortness;

typedef enum {
    CPhoneNumberNational,
    CPhoneNumberInternational,
} CPhoneNumberStyle;

/// Longer texts are never read as a number.
enum { CPhoneNumberLongestText = 250 };

/// Reads a number as dialled in `region`. False if there is none.
bool CPhoneNumberRead(const char *text, size_t length, const char *region, CPhoneNumber *number);

/// Unknown if the plan does not know the number.
CPhoneNumberKind CPhoneNumberFindKind(const CPhoneNumber *number);

CPhoneNumberLength CPhoneNumberCheckLength(const CPhoneNumber *number);

/// Whether the national part is a short number in `region`.
CPhoneNumberShortness CPhoneNumberCheckShortness(const CPhoneNumber *number, const char *region);

/// Writes the number for people, its extension included. Returns the length in bytes; 0 if `capacity` is too small.
size_t CPhoneNumberFormat(const CPhoneNumber *number, CPhoneNumberStyle style, char *formatted, size_t capacity);

/// Groups a typed text of ASCII digits with an optional leading plus. Returns the length; 0 if `capacity` is too small.
size_t CPhoneNumberGroup(const char *typed, size_t length, const char *region, char *grouped, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
