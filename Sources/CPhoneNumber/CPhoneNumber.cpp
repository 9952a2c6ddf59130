#include "CPhoneNumber.h"

#include <phonenumbers/asyoutypeformatter.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>
#include <phonenumbers/shortnumberinfo.h>

#include <cstring>
#include <memory>
#include <string>

using i18n::phonenumbers::AsYouTypeFormatter;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;
using i18n::phonenumbers::ShortNumberInfo;

namespace {

const PhoneNumberUtil &library() { return *PhoneNumberUtil::GetInstance(); }

// Never destroyed, because a thread may still parse numbers while the program ends.
const ShortNumberInfo &short_numbers() {
    static const ShortNumberInfo *const numbers = new ShortNumberInfo();
    return *numbers;
}

// libphonenumber's name for an unknown region is ZZ.
std::string named(const char *region) { return region ? region : "ZZ"; }

// Removes separators, which have no meaning but cost time in libphonenumber's regular expressions. Returns a text
// unchanged if it contains other characters, or has fewer than three digits: libphonenumber parses these only if they
// are adjacent.
std::string condensed(const char *text, size_t length) {
    std::string condensed;
    size_t digits = 0;
    for (const char *at = text; at != text + length; ++at) {
        switch (*at) {
        case '0' ... '9':
            digits += 1;
            condensed += *at;
            break;
        case '+':
            if (!condensed.empty()) return std::string(text, length);
            condensed += *at;
            break;
        case ' ': case '-': case '.': case '/': case '(': case ')':
            break;
        default:
            return std::string(text, length);
        }
    }
    return digits >= 3 ? condensed : std::string(text, length);
}

PhoneNumber assembled(const CPhoneNumber &parts) {
    PhoneNumber number;
    number.set_country_code(parts.country_code);
    number.set_national_number(parts.national_number);
    if (parts.leading_zeros > 0) {
        number.set_italian_leading_zero(true);
        number.set_number_of_leading_zeros(parts.leading_zeros);
    }
    if (parts.extension[0] != '\0') number.set_extension(parts.extension);
    return number;
}

// No plan has short numbers with more digits than this.
constexpr size_t longest_short_number = 8;

// Short codes for text messages have up to six digits, and plans list only some of them.
constexpr size_t longest_short_code = 6;

size_t digits(const PhoneNumber &number) {
    std::string national;
    library().GetNationalSignificantNumber(number, &national);
    return national.size();
}

size_t copy(const std::string &text, char *target, size_t capacity) {
    if (text.size() > capacity) return 0;
    std::memcpy(target, text.data(), text.size());
    return text.size();
}

// Returns the result of `body`, or `otherwise` if `body` throws because memory has run out.
template <class Answer, class Body> Answer guarded(Answer otherwise, Body body) noexcept {
    try {
        return body();
    } catch (...) {
        return otherwise;
    }
}

}  // namespace

bool CPhoneNumberRead(const char *text, size_t length, const char *region, CPhoneNumber *parts) {
    if (length == 0 || length > CPhoneNumberLongestText) return false;
    return guarded(false, [&] {
        PhoneNumber number;
        // libphonenumber reports the source of the country code only if it keeps the input.
        auto error = library().ParseAndKeepRawInput(condensed(text, length), named(region), &number);
        if (error != PhoneNumberUtil::NO_PARSING_ERROR) return false;
        *parts = CPhoneNumber{};
        if (number.extension().size() >= sizeof parts->extension) return false;
        copy(number.extension(), parts->extension, sizeof parts->extension - 1);
        parts->country_code = number.country_code();
        parts->national_number = number.national_number();
        parts->leading_zeros = number.italian_leading_zero() ? number.number_of_leading_zeros() : 0;
        parts->has_country_code = number.country_code_source() != PhoneNumber::FROM_DEFAULT_COUNTRY;
        return true;
    });
}

CPhoneNumberKind CPhoneNumberFindKind(const CPhoneNumber *number) {
    return guarded(CPhoneNumberUnknown, [&] {
        switch (library().GetNumberType(assembled(*number))) {
        case PhoneNumberUtil::FIXED_LINE: return CPhoneNumberFixedLine;
        case PhoneNumberUtil::MOBILE: return CPhoneNumberMobile;
        case PhoneNumberUtil::FIXED_LINE_OR_MOBILE: return CPhoneNumberFixedLineOrMobile;
        case PhoneNumberUtil::TOLL_FREE: return CPhoneNumberTollFree;
        case PhoneNumberUtil::PREMIUM_RATE: return CPhoneNumberPremiumRate;
        case PhoneNumberUtil::SHARED_COST: return CPhoneNumberSharedCost;
        case PhoneNumberUtil::VOIP: return CPhoneNumberVoIP;
        case PhoneNumberUtil::PERSONAL_NUMBER: return CPhoneNumberPersonal;
        case PhoneNumberUtil::PAGER: return CPhoneNumberPager;
        case PhoneNumberUtil::UAN: return CPhoneNumberCompany;
        case PhoneNumberUtil::VOICEMAIL: return CPhoneNumberVoicemail;
        case PhoneNumberUtil::UNKNOWN: return CPhoneNumberUnknown;
        }
        return CPhoneNumberUnknown;
    });
}

CPhoneNumberLength CPhoneNumberCheckLength(const CPhoneNumber *number) {
    return guarded(CPhoneNumberLengthOther, [&] {
        switch (library().IsPossibleNumberWithReason(assembled(*number))) {
        case PhoneNumberUtil::IS_POSSIBLE: return CPhoneNumberLengthKnown;
        case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY: return CPhoneNumberLengthLocal;
        case PhoneNumberUtil::TOO_SHORT: return CPhoneNumberLengthTooShort;
        default: return CPhoneNumberLengthOther;
        }
    });
}

CPhoneNumberShortness CPhoneNumberCheckShortness(const CPhoneNumber *parts, const char *region) {
    return guarded(CPhoneNumberNotShort, [&] {
        auto number = assembled(*parts);
        auto length = digits(number);
        if (length > longest_short_number) return CPhoneNumberNotShort;
        auto name = named(region);
        auto is_possible = short_numbers().IsPossibleShortNumberForRegion(number, name);
        if (!is_possible && length > longest_short_code) return CPhoneNumberNotShort;
        if (library().IsValidNumber(number)) return CPhoneNumberNotShort;
        if (short_numbers().IsValidShortNumberForRegion(number, name)) return CPhoneNumberShort;
        if (is_possible) return CPhoneNumberMaybeShort;
        PhoneNumber mobile;
        bool has_example = library().GetExampleNumberForType(name, PhoneNumberUtil::MOBILE, &mobile);
        return has_example && digits(mobile) > longest_short_code
            ? CPhoneNumberMaybeShort
            : CPhoneNumberNotShort;
    });
}

size_t CPhoneNumberFormat(const CPhoneNumber *number, CPhoneNumberStyle style, char *formatted, size_t capacity) {
    return guarded(size_t{0}, [&] {
        std::string text;
        library().Format(
            assembled(*number),
            style == CPhoneNumberNational ? PhoneNumberUtil::NATIONAL : PhoneNumberUtil::INTERNATIONAL, &text);
        return copy(text, formatted, capacity);
    });
}

size_t CPhoneNumberGroup(const char *typed, size_t length, const char *region, char *grouped, size_t capacity) {
    return guarded(size_t{0}, [&] {
        std::unique_ptr<AsYouTypeFormatter> formatter(library().GetAsYouTypeFormatter(named(region)));
        std::string text;
        for (size_t index = 0; index < length; ++index) formatter->InputDigit(typed[index], &text);
        return copy(text, grouped, capacity);
    });
}

int32_t CPhoneNumberCallingCode(const char *region) {
    return guarded(int32_t{0}, [&] { return int32_t{library().GetCountryCodeForRegion(named(region))}; });
}

bool CPhoneNumberMobileExample(const char *region, CPhoneNumber *parts) {
    return guarded(false, [&] {
        PhoneNumber number;
        if (!library().GetExampleNumberForType(named(region), PhoneNumberUtil::MOBILE, &number)) return false;
        *parts = CPhoneNumber{};
        parts->country_code = number.country_code();
        parts->national_number = number.national_number();
        parts->leading_zeros = number.italian_leading_zero() ? number.number_of_leading_zeros() : 0;
        parts->has_country_code = true;
        return true;
    });
}

bool CPhoneNumberRegion(const CPhoneNumber *number, char region[3]) {
    return guarded(false, [&] {
        std::string name;
        library().GetRegionCodeForNumber(assembled(*number), &name);
        // The plans of no region, such as that of satellite telephones, have the name 001.
        if (name.size() != 2 || name == "ZZ") return false;
        std::memcpy(region, name.c_str(), 3);
        return true;
    });
}
