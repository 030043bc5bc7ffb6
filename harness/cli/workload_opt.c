/* workload_opt.c: options by description. */
#include "harness/cli/workload_opt.h"

#include <stdio.h>

static enum mpb_status ask(struct mpb_workload_opt *w, struct mpb_error *err)
{
    if (w->asked) {
        return MPB_OK;
    }
    enum mpb_status st = mpb_builtin_find(mpb_spawn_run, &w->builtin, NULL, err);
    w->asked = st == MPB_OK;
    return st;
}

static enum mpb_status refuse(struct mpb_workload_opt *w, const struct mpb_opt *own,
                              const char *name, struct mpb_error *err)
{
    const char *words[2 * MPB_WORKLOAD_OPT_MAX];
    size_t n = 0;
    const struct mpb_catalog_row *row = NULL;
    for (; own[n].name != NULL && n < MPB_WORKLOAD_OPT_MAX; n++) {
        words[n] = own[n].name;
    }
    for (size_t i = 0; n < MPB_ARRAY_LEN(words) &&
                       (row = mpb_catalog_at(&w->builtin.catalog, "option", i)) != NULL;
         i++) {
        words[n++] = row->name;
    }
    const char *near = mpb_opt_nearest(name, words, n);
    if (near != NULL) {
        return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown option --%s (did you mean --%s?)",
                             name, near);
    }
    return mpb_error_set(err, MPB_E_USAGE, NULL, "unknown option --%s (see --help)", name);
}

enum mpb_status mpb_workload_opt_take(struct mpb_workload_opt *w, const struct mpb_opt *own,
                                      const struct mpb_workload_word *word, bool *used_next,
                                      struct mpb_error *err)
{
    const char *name = word->name, *value = word->value;
    enum mpb_status st = ask(w, err);
    if (st != MPB_OK) {
        return st;
    }
    const struct mpb_catalog_row *row = mpb_catalog_find(&w->builtin.catalog, "option", name);
    if (row == NULL) {
        return refuse(w, own, name, err);
    }
    char dashed[80];
    snprintf(dashed, sizeof(dashed), "--%.70s", name);
    bool is_flag = row->unit[0] == '\0';
    if (is_flag && value != NULL) {
        return mpb_error_set(err, MPB_E_USAGE, dashed, "takes no value");
    }
    if (!is_flag && value == NULL) {
        value = word->next;
        *used_next = true;
    }
    if (!is_flag && (value == NULL || value[0] == '\0')) {
        return mpb_error_set(err, MPB_E_USAGE, dashed, "needs a value (%s)", row->unit);
    }
    return mpb_pairs_set(&w->given, name, is_flag ? "yes" : value, err);
}

void mpb_workload_opt_fini(struct mpb_workload_opt *w)
{
    mpb_arm_worker_fini(&w->builtin);
    mpb_pairs_fini(&w->given);
    *w = (struct mpb_workload_opt){0};
}

size_t mpb_workload_opt_table(struct mpb_workload_opt *w, struct mpb_opt out[MPB_WORKLOAD_OPT_MAX])
{
    size_t n = 0;
    const struct mpb_catalog_row *row = NULL;
    if (ask(w, NULL) != MPB_OK) {
        out[0] = (struct mpb_opt){0};
        return 0;
    }
    while (n + 1 < MPB_WORKLOAD_OPT_MAX &&
           (row = mpb_catalog_at(&w->builtin.catalog, "option", n)) != NULL) {
        out[n++] = (struct mpb_opt){
            .name = row->name,
            .arg = row->unit[0] != '\0' ? row->unit : NULL,
            .fallback = row->class_[0] != '\0' ? row->class_ : NULL,
            .help = row->doc,
        };
    }
    out[n] = (struct mpb_opt){0};
    return n;
}
