/* cmd_list.c: `msgpath list`: what there is, as the built-in worker and the writers describe it. */
#include <stdio.h>
#include <string.h>

#include "harness/builtin.h"
#include "harness/cli/command.h"
#include "reports/writer.h"

/* X(topic, kind of the worker's rows; NULL: not the worker's) */
/* clang-format off */
#define TOPIC_LIST(X) \
    X("scenarios", "scenario") \
    X("variants", "variant") \
    X("metrics", "metric") \
    X("mixes", "mix") \
    X("writers", NULL) \
    X("sites", "site")
/* clang-format on */

/* "|scenarios|variants|..." */
#define X(name, kind) "|" name
static const char words[] = TOPIC_LIST(X);
#undef X

static const struct {
    const char *name, *kind;
} topics[] = {
#define X(name, kind) {name, kind},
    TOPIC_LIST(X)
#undef X
};

static void print_rows(const struct mpb_catalog *catalog, const char *kind)
{
    const struct mpb_catalog_row *row = NULL;
    int name_width = 0;
    for (size_t i = 0; (row = mpb_catalog_at(catalog, kind, i)) != NULL; i++) {
        int len = (int)strlen(row->name);
        name_width = len > name_width ? len : name_width;
    }
    for (size_t i = 0; (row = mpb_catalog_at(catalog, kind, i)) != NULL; i++) {
        printf("%-*s  ", name_width, row->name);
        if (row->class_[0] != '\0') {
            printf("%-5s  %-6s  %-5s  ", row->unit, row->better, row->class_);
        }
        printf("%s\n", row->doc);
    }
}

static void print_writers(void)
{
    size_t n = 0;
    const struct mpb_writer *const *all = mpb_writer_all(&n);
    for (size_t i = 0; i < n; i++) {
        printf("%-8s  %-10s  %s\n", all[i]->name,
               all[i]->file_name != NULL ? all[i]->file_name : "-", all[i]->doc);
    }
}

static enum mpb_status take_topic(void *ctx, const char *word, struct mpb_error *err)
{
    const char **topic = ctx;
    if (*topic != NULL) {
        return mpb_error_set(err, MPB_E_USAGE, "list", "takes one topic, '%s' is another", word);
    }
    *topic = word;
    return MPB_OK;
}

static enum mpb_status list_topic(const char *topic, struct mpb_error *err)
{
    size_t i = 0;
    while (i < MPB_ARRAY_LEN(topics) && strcmp(topics[i].name, topic) != 0) {
        i++;
    }
    if (i == MPB_ARRAY_LEN(topics)) {
        return mpb_error_set(err, MPB_E_USAGE, "list", "unknown topic '%s' (%s)", topic, words + 1);
    }
    if (topics[i].kind == NULL) {
        print_writers();
        return MPB_OK;
    }
    struct mpb_worker builtin = {0};
    enum mpb_status st = mpb_builtin_find(mpb_spawn_run, &builtin, NULL, err);
    if (st == MPB_OK) {
        print_rows(&builtin.catalog, topics[i].kind);
    }
    mpb_arm_worker_fini(&builtin);
    return st;
}

static const struct mpb_opt options[] = {{0}};

static enum mpb_status run_list(int argc, char *const *argv, struct mpb_error *err)
{
    const char *topic = NULL;
    const struct mpb_opt_rest rest = {&topic, take_topic, NULL};
    enum mpb_status st = mpb_opt_parse(options, argc, argv, NULL, &rest, err);
    if (st != MPB_OK) {
        return st;
    }
    if (topic == NULL) {
        return mpb_error_set(err, MPB_E_USAGE, "list", "needs a topic (%s)", words + 1);
    }
    return list_topic(topic, err);
}

static const char *const about[] = {
    "One line a thing: its name, for metrics also unit, better direction and class, and what it "
    "is.",
    NULL,
};

const struct mpb_command mpb_command_list = {
    .name = "list",
    .words = words + 1,
    .doc = "what there is to name on a command line",
    .about = about,
    .options = options,
    .run = run_list,
};
