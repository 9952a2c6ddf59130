#ifndef KITH_CPHONENUMBER_H
#define KITH_CPHONENUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A plain C interface to libphonenumber. It returns the properties of a number as values.
///
/// Texts are passed as UTF-8 with their length in bytes. A region is two capital letters, or NULL if it is unknown.
/// Results are written into the caller's memory, so there is nothing to free. Every function is thread-safe, and throws
/// no C++ exception.

#ifdef __cplusplus
extern "C" {
#endif

/// The parts of a telephone number.
typedef struct {
    /// The country code, such as 43 for Austria.
    int32_t country_code;
    /// The number of leading zeros that belong to `national_number`, as in Italy.
    int32_t leading_zeros;
    /// The digits after the country code, without leading zeros.
    uint64_t national_number;
    /// Whether the country code was written, after a plus or an international prefix. Otherwise it is the region's.
    bool has_country_code;
    /// The digits to dial after the call is answered; empty if there are none. NUL-terminated.
    char extension[24];
} CPhoneNumber;

/// The kind of line according to the country's numbering plan.
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

/// Whether the number of digits is possible in the country's numbering plan.
typedef enum {
    CPhoneNumberLengthKnown,
    /// The length of a number without its area code.
    CPhoneNumberLengthLocal,
    CPhoneNumberLengthTooShort,
    CPhoneNumberLengthOther,
} CPhoneNumberLength;

/// Whether a number can be dialled only within one country.
typedef enum {
    /// Not a short number, or a short number in the plan that can be dialled from everywhere.
    CPhoneNumberNotShort,
    /// Has the length of a short number, or is too short for a number of a country with longer numbers.
    CPhoneNumberMaybeShort,
    /// A short number in the plan.
    CPhoneNumberShort,
} CPhoneNumberShortness;

typedef enum {
    CPhoneNumberNational,
    CPhoneNumberInternational,
} CPhoneNumberStyle;

/// The maximum length of a text in bytes. Longer texts are not parsed.
enum { CPhoneNumberLongestText = 250 };

/// Parses a number as dialled in `region`. Returns false if the text contains none.
bool CPhoneNumberRead(const char *text, size_t length, const char *region, CPhoneNumber *number);

/// The kind of line; `CPhoneNumberUnknown` if the number is not in the plan.
CPhoneNumberKind CPhoneNumberFindKind(const CPhoneNumber *number);

CPhoneNumberLength CPhoneNumberCheckLength(const CPhoneNumber *number);

/// Whether the national part is a short number in `region`.
CPhoneNumberShortness CPhoneNumberCheckShortness(const CPhoneNumber *number, const char *region);

/// Formats the number with its extension for display. Returns the length in bytes; 0 if `capacity` is too small.
size_t CPhoneNumberFormat(const CPhoneNumber *number, CPhoneNumberStyle style, char *formatted, size_t capacity);

/// Formats a typed text of ASCII digits with an optional leading plus. Returns the length; 0 if `capacity` is too
/// small.
size_t CPhoneNumberGroup(const char *typed, size_t length, const char *region, char *grouped, size_t capacity);

/// The calling code of a region, such as 43; 0 if the region is unknown.
int32_t CPhoneNumberCallingCode(const char *region);

/// An example of a mobile number in a region. Returns false if the plan has none.
bool CPhoneNumberMobileExample(const char *region, CPhoneNumber *number);

/// Writes the two letters of the region that a number belongs to, and a NUL. Returns false if no region has its calling
/// code, or several have it and no plan of theirs contains the number.
bool CPhoneNumberRegion(const CPhoneNumber *number, char region[3]);

#ifdef __cplusplus
}
#endif

#endif
