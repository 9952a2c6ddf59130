/* Reads a file of vCards with Evolution's reader, libebook-contacts, as its importer does: card by card.
 *
 * usage: evolution FILE          prints how many cards and properties there are, and in how many seconds they were read
 *        evolution --cards FILE  prints each card: a line “card”, then a line for each property, its name and values
 */
#include <libebook-contacts/libebook-contacts.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void print_escaped(const char *text) {
    for (; *text; text++) {
        if (*text == '\n') fputs("\\n", stdout);
        else if (*text == '\r') fputs("\\r", stdout);
        else if (*text == '\t') fputs("\\t", stdout);
        else if (*text == '\\') fputs("\\\\", stdout);
        else putchar(*text);
    }
}

static gsize read_card(const char *text, gboolean prints) {
    EVCard *card = e_vcard_new_from_string(text);
    gsize count = 0;
    if (prints) puts("card");
    for (GList *each = e_vcard_get_attributes(card); each; each = each->next, count++) {
        EVCardAttribute *attribute = each->data;
        const char *name = e_vcard_attribute_get_name(attribute);
        /* Touches each value, decoded, and each parameter: what an importer does. */
        GList *values = e_vcard_attribute_get_values_decoded(attribute);
        gsize length = strlen(name) + g_list_length(e_vcard_attribute_get_params(attribute));
        if (prints) print_escaped(name);
        for (GList *value = values; value; value = value->next) {
            GString *string = value->data;
            length += string->len;
            if (prints) putchar('\t'), print_escaped(string->str);
        }
        if (prints) putchar('\n');
        if (length == 0) count--;
    }
    g_object_unref(card);
    return count;
}

/* It complains of most cards that real programs write; the time is for reading, and what it read is compared. */
static GLogWriterOutput keep_quiet(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
    return G_LOG_WRITER_HANDLED;
}

int main(int argc, char **argv) {
    gboolean prints = argc == 3 && strcmp(argv[1], "--cards") == 0;
    if (argc != 2 + prints) return 2;
    g_log_set_writer_func(keep_quiet, NULL, NULL);
    char *bytes = NULL;
    gsize length = 0;
    GError *error = NULL;
    if (!g_file_get_contents(argv[1 + prints], &bytes, &length, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    gint64 start = g_get_monotonic_time();
    gsize cards = 0, properties = 0;
    char *begin = bytes, *line = bytes, *end = bytes + length;
    while (line < end) {
        char *next = memchr(line, '\n', end - line);
        next = next ? next + 1 : end;
        if (next - line >= 9 && strncasecmp(line, "END:VCARD", 9) == 0) {
            char kept = *next;
            *next = '\0';
            properties += read_card(begin, prints);
            *next = kept;
            begin = next;
            cards++;
        }
        line = next;
    }
    double seconds = (g_get_monotonic_time() - start) / 1e6;
    if (!prints) printf("%zu cards, %zu properties, %.3f s\n", (size_t)cards, (size_t)properties, seconds);
    g_free(bytes);
    return 0;
}
