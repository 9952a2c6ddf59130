/* Reads vCards with Evolution's reader, libebook-contacts.
 *
 * usage: evolution FILE     reads a file as Evolution's importer does, card by card; prints how many cards and
 *                           properties there were, and how many seconds of the processor that took
 *        evolution --cards  reads a card from each line of standard input, where it stands in base64; prints a line
 *                           “card”, then a line for each property: its name and its values, parted by tabs
 */
#include <libebook-contacts/libebook-contacts.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static void print_value(const GString *value) {
    if (memchr(value->str, '\0', value->len)) {
        char *text = g_base64_encode((const guchar *)value->str, value->len);
        printf("base64:%s", text);
        g_free(text);
        return;
    }
    for (const char *text = value->str; *text; text++) {
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
    for (GList *each = e_vcard_get_attributes(card); each; each = each->next) {
        EVCardAttribute *attribute = each->data;
        const char *name = e_vcard_attribute_get_name(attribute);
        /* Touches each parameter and each value, decoded: what an importer does. */
        gsize length = strlen(name) + g_list_length(e_vcard_attribute_get_params(attribute));
        if (prints) fputs(name, stdout);
        for (GList *value = e_vcard_attribute_get_values_decoded(attribute); value; value = value->next) {
            length += ((GString *)value->data)->len;
            if (prints) putchar('\t'), print_value(value->data);
        }
        if (prints) putchar('\n');
        count += length > 0;
    }
    g_object_unref(card);
    return count;
}

static void print_cards(void) {
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        gsize length = 0;
        guchar *bytes = g_base64_decode(line, &length);
        char *text = g_strndup((const char *)bytes, length);
        read_card(text, TRUE);
        g_free(text);
        g_free(bytes);
    }
    free(line);
}

static int read_file(const char *path) {
    char *bytes = NULL;
    gsize length = 0;
    GError *error = NULL;
    if (!g_file_get_contents(path, &bytes, &length, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    clock_t start = clock();
    gsize cards = 0, properties = 0;
    char *begin = bytes, *line = bytes, *end = bytes + length;
    while (line < end) {
        char *next = memchr(line, '\n', end - line);
        next = next ? next + 1 : end;
        if (next - line >= 9 && strncasecmp(line, "END:VCARD", 9) == 0) {
            char kept = *next;
            *next = '\0';
            properties += read_card(begin, FALSE);
            *next = kept;
            begin = next;
            cards++;
        }
        line = next;
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%zu cards, %zu properties, %.3f s\n", (size_t)cards, (size_t)properties, seconds);
    g_free(bytes);
    return 0;
}

/* It complains of most cards that real programs write; the time is for reading, and what it read is compared. */
static GLogWriterOutput keep_quiet(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
    return G_LOG_WRITER_HANDLED;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    g_log_set_writer_func(keep_quiet, NULL, NULL);
    if (strcmp(argv[1], "--cards") != 0) return read_file(argv[1]);
    print_cards();
    return 0;
}
