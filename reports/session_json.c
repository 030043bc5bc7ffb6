/* session_json.c: session.json through jansson, which keeps 64-bit integers and key order. The
 * plan's seed is written as text all the same: other readers of JSON know only doubles. */
#include "reports/session_json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/parse.h"
#include "reports/csv.h"
#include "reports/utf8.h"

/* --- writing: a NULL json_t anywhere means out of memory and is found at the end --- */

static json_t *text_of(const char *text)
{
    char *clean = mpb_utf8_copy(text != NULL ? text : "");
    json_t *json = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return json;
}

static json_t *u64_text_of(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    return json_string(text);
}

static json_t *pairs_of(const struct mpb_pairs *pairs)
{
    json_t *object = json_object();
    int bad = object == NULL;
    for (size_t i = 0; !bad && i < pairs->n; i++) {
        bad = json_object_set_new(object, pairs->pair[i].key, text_of(pairs->pair[i].value));
    }
    if (bad) {
        json_decref(object);
    }
    return bad ? NULL : object;
}

/* An array of n elements made by of(session, i). */
static json_t *array_of(const struct mpb_session *s, size_t n,
                        json_t *(*of)(const struct mpb_session *, size_t))
{
    json_t *array = json_array();
    int bad = array == NULL;
    for (size_t i = 0; !bad && i < n; i++) {
        bad = json_array_append_new(array, of(s, i));
    }
    if (bad) {
        json_decref(array);
    }
    return bad ? NULL : array;
}

static json_t *arm_of(const struct mpb_session *s, size_t i)
{
    const struct mpb_arm_info *arm = &s->arm[i];
    return json_pack("{s:o, s:o, s:o, s:o}", "label", text_of(arm->label), "spec",
                     text_of(arm->spec), "variant", text_of(arm->variant), "facts",
                     pairs_of(&arm->facts));
}

static json_t *scenario_of(const struct mpb_session *s, size_t i)
{
    return text_of(mpb_names_text(&s->names, s->scenario[i]));
}

static json_t *metric_of(const struct mpb_session *s, size_t i)
{
    const struct mpb_metric_note *metric = &s->metric[i];
    return json_pack("{s:o, s:o, s:s, s:s, s:o}", "name",
                     text_of(mpb_names_text(&s->names, metric->metric)), "unit",
                     text_of(mpb_names_text(&s->names, metric->unit)), "better",
                     mpb_metric_better_name(metric->better), "class",
                     mpb_metric_class_name(metric->class_), "doc", text_of(metric->doc));
}

static json_t *note_of(const struct mpb_session *s, size_t i)
{
    return text_of(s->note[i]);
}

static json_t *plan_of(const struct mpb_plan_info *plan)
{
    return json_pack("{s:o, s:I, s:I, s:I, s:f, s:f}", "seed", u64_text_of(plan->seed), "blocks",
                     (json_int_t)plan->n_blocks, "counting_passes",
                     (json_int_t)plan->n_counting_passes, "pass_timeout_ns",
                     (json_int_t)plan->pass_timeout_ns, "equal", plan->equal, "level", plan->level);
}

static json_t *session_of(const struct mpb_session *s)
{
    return json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:n}", "format",
        MPB_SESSION_FORMAT, "version", text_of(s->version), "started", text_of(s->started),
        "command", text_of(s->command), "arms", array_of(s, s->n_arms, arm_of), "scenarios",
        array_of(s, s->n_scenarios, scenario_of), "metrics", array_of(s, s->n_metrics, metric_of),
        "workload", pairs_of(&s->workload), "plan", plan_of(&s->plan), "environment",
        pairs_of(&s->environment), "notes", array_of(s, s->n_notes, note_of), "claims");
}

/* Fewest digits from 15 on (0.02 stays 0.02) that read back as the same double. */
static size_t digits_for(double value, size_t at_least)
{
    char text[40];
    size_t digits = at_least;
    for (; digits < 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", (int)digits, value);
        if (!(fabs(strtod(text, NULL) - value) > 0)) {
            break;
        }
    }
    return digits;
}

enum mpb_status mpb_session_json_write(const struct mpb_session *session, FILE *f,
                                       struct mpb_error *err)
{
    json_t *json = session_of(session);
    if (json == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "session.json", NULL);
    }
    size_t digits = digits_for(session->plan.level, digits_for(session->plan.equal, 15));
    /* What cannot be written is seen in ferror(f). */
    (void)json_dumpf(json, f, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    putc('\n', f);
    json_decref(json);
    return MPB_OK;
}

/* --- reading --- */

/* Where in the file: "path: arms[1].label". */
struct reader {
    const char *path;
    struct mpb_session *session;
    struct mpb_error *err;
};

static enum mpb_status fail(const struct reader *in, const char *field, const char *text)
{
    return mpb_error_set(in->err, MPB_E_INPUT, in->path, "%s: %s", field, text);
}

static enum mpb_status read_text(const struct reader *in, const json_t *object, const char *key,
                                 const char **out)
{
    const char *text = json_string_value(json_object_get(object, key));
    *out = text;
    return text != NULL ? MPB_OK : fail(in, key, "is missing or not text");
}

/* A top-level text into the session. */
static enum mpb_status read_own_text(const struct reader *in, const json_t *root, const char *key,
                                     char **out)
{
    const char *text = NULL;
    enum mpb_status st = read_text(in, root, key, &text);
    if (st == MPB_OK && (*out = strdup(text)) == NULL) {
        st = mpb_error_set(in->err, MPB_E_NOMEM, in->path, NULL);
    }
    return st;
}

static enum mpb_status read_pairs(const struct reader *in, const json_t *object, const char *key,
                                  struct mpb_pairs *out)
{
    json_t *pairs = json_object_get(object, key), *value = NULL;
    const char *name = NULL;
    if (!json_is_object(pairs)) {
        return fail(in, key, "is missing or not an object");
    }
    json_object_foreach(pairs, name, value)
    {
        if (!json_is_string(value)) {
            return mpb_error_set(in->err, MPB_E_INPUT, in->path, "%s.%s: is not text", key, name);
        }
        enum mpb_status st = mpb_pairs_set(out, name, json_string_value(value), in->err);
        if (st != MPB_OK) {
            return st;
        }
    }
    return MPB_OK;
}

/* Every element of an array through take. */
static enum mpb_status read_array(const struct reader *in, const json_t *root, const char *key,
                                  enum mpb_status (*take)(const struct reader *, json_t *))
{
    json_t *array = json_object_get(root, key), *element = NULL;
    size_t i = 0;
    if (!json_is_array(array)) {
        return fail(in, key, "is missing or not a list");
    }
    json_array_foreach(array, i, element)
    {
        enum mpb_status st = take(in, element);
        if (st != MPB_OK) {
            char text[sizeof(in->err->text)];
            snprintf(text, sizeof(text), "%s", in->err != NULL ? in->err->text : "");
            return mpb_error_set(in->err, st, in->path, "%s[%zu]: %s", key, i, text);
        }
    }
    return MPB_OK;
}

static enum mpb_status take_arm(const struct reader *in, json_t *element)
{
    const char *label = NULL, *spec = NULL, *variant = NULL;
    enum mpb_status st = read_text(in, element, "label", &label);
    st = st != MPB_OK ? st : read_text(in, element, "spec", &spec);
    st = st != MPB_OK ? st : read_text(in, element, "variant", &variant);
    st = st != MPB_OK ? st : mpb_session_add_arm(in->session, label, spec, variant, in->err);
    if (st != MPB_OK) {
        return st;
    }
    struct mpb_arm_info *arm = &in->session->arm[in->session->n_arms - 1];
    return read_pairs(in, element, "facts", &arm->facts);
}

static enum mpb_status take_scenario(const struct reader *in, json_t *element)
{
    const char *name = json_string_value(element);
    return name != NULL ? mpb_session_add_scenario(in->session, name, in->err)
                        : fail(in, "name", "is not text");
}

static enum mpb_status take_metric(const struct reader *in, json_t *element)
{
    const char *name = NULL, *unit = NULL, *better = NULL, *class_ = NULL, *doc = NULL;
    enum mpb_better direction = MPB_BETTER_NONE;
    enum mpb_class kind = MPB_CLASS_EXACT;
    enum mpb_status st = read_text(in, element, "name", &name);
    st = st != MPB_OK ? st : read_text(in, element, "unit", &unit);
    st = st != MPB_OK ? st : read_text(in, element, "better", &better);
    st = st != MPB_OK ? st : read_text(in, element, "class", &class_);
    st = st != MPB_OK ? st : read_text(in, element, "doc", &doc);
    if (st == MPB_OK && !mpb_metric_better_find(better, &direction)) {
        st = fail(in, "better", "is not none, higher or lower");
    }
    if (st == MPB_OK && !mpb_metric_class_find(class_, &kind)) {
        st = fail(in, "class", "is not exact, timed or level");
    }
    return st != MPB_OK
               ? st
               : mpb_session_add_metric(in->session, name, unit, direction, kind, doc, in->err);
}

static enum mpb_status take_note(const struct reader *in, json_t *element)
{
    if (!json_is_string(element)) {
        return fail(in, "note", "is not text");
    }
    mpb_session_add_note(in->session, "%s", json_string_value(element));
    return MPB_OK;
}

/* A whole number from 0 to max. */
static enum mpb_status read_whole(const struct reader *in, const json_t *plan, const char *key,
                                  uint64_t max, uint64_t *out)
{
    const json_t *json = json_object_get(plan, key);
    json_int_t value = json_integer_value(json);
    if (!json_is_integer(json) || value < 0 || (uint64_t)value > max) {
        return fail(in, key, "is missing or not a whole number in range");
    }
    *out = (uint64_t)value;
    return MPB_OK;
}

/* Text of digits, or an integer. */
static enum mpb_status read_seed(const struct reader *in, const json_t *plan, uint64_t *out)
{
    const char *text = json_string_value(json_object_get(plan, "seed"));
    if (text == NULL) {
        return read_whole(in, plan, "seed", INT64_MAX, out);
    }
    uint64_t seed = 0;
    if (mpb_parse_u64(text, "", 0, UINT64_MAX, &seed, NULL) != MPB_OK) {
        return fail(in, "seed", "is not a whole number of 64 bits");
    }
    *out = seed;
    return MPB_OK;
}

/* A share between 0 and 1, both excluded. */
static enum mpb_status read_share(const struct reader *in, const json_t *plan, const char *key,
                                  double *out)
{
    double value = json_number_value(json_object_get(plan, key));
    if (!(value > 0) || !(value < 1)) {
        return fail(in, key, "is missing or not above 0 and below 1");
    }
    *out = value;
    return MPB_OK;
}

static enum mpb_status read_plan(const struct reader *in, const json_t *root)
{
    const json_t *plan = json_object_get(root, "plan");
    struct mpb_plan_info *out = &in->session->plan;
    uint64_t n_blocks = 0, n_counting = 0;
    if (!json_is_object(plan)) {
        return fail(in, "plan", "is missing or not an object");
    }
    enum mpb_status st = read_seed(in, plan, &out->seed);
    st = st != MPB_OK ? st : read_whole(in, plan, "blocks", UINT32_MAX, &n_blocks);
    st = st != MPB_OK ? st : read_whole(in, plan, "counting_passes", UINT32_MAX, &n_counting);
    st = st != MPB_OK ? st
                      : read_whole(in, plan, "pass_timeout_ns", INT64_MAX, &out->pass_timeout_ns);
    st = st != MPB_OK ? st : read_share(in, plan, "equal", &out->equal);
    st = st != MPB_OK ? st : read_share(in, plan, "level", &out->level);
    out->n_blocks = (uint32_t)n_blocks;
    out->n_counting_passes = (uint32_t)n_counting;
    return st;
}

static enum mpb_status check_format(const struct reader *in, const json_t *root)
{
    const json_t *format = json_object_get(root, "format");
    if (!json_is_integer(format)) {
        return fail(in, "format", "is missing or not a whole number");
    }
    if (json_integer_value(format) != MPB_SESSION_FORMAT) {
        return mpb_error_set(in->err, MPB_E_INPUT, in->path,
                             "format: the session has format %" JSON_INTEGER_FORMAT
                             ", this msgpath reads format %d",
                             json_integer_value(format), MPB_SESSION_FORMAT);
    }
    return MPB_OK;
}

static enum mpb_status read_root(const struct reader *in, const json_t *root)
{
    struct mpb_session *s = in->session;
    enum mpb_status st = check_format(in, root);
    st = st != MPB_OK ? st : read_own_text(in, root, "version", &s->version);
    st = st != MPB_OK ? st : read_own_text(in, root, "started", &s->started);
    st = st != MPB_OK ? st : read_own_text(in, root, "command", &s->command);
    st = st != MPB_OK ? st : read_array(in, root, "arms", take_arm);
    st = st != MPB_OK ? st : read_array(in, root, "scenarios", take_scenario);
    st = st != MPB_OK ? st : read_array(in, root, "metrics", take_metric);
    st = st != MPB_OK ? st : read_pairs(in, root, "workload", &s->workload);
    st = st != MPB_OK ? st : read_plan(in, root);
    st = st != MPB_OK ? st : read_pairs(in, root, "environment", &s->environment);
    if (st == MPB_OK && json_object_get(root, "notes") != NULL) {
        st = read_array(in, root, "notes", take_note);
    }
    return st;
}

enum mpb_status mpb_session_json_read(const char *path, struct mpb_session *session,
                                      struct mpb_error *err)
{
    struct reader in = {.path = path, .session = session, .err = err};
    json_error_t bad = {0};
    FILE *f = fopen(path, "re");
    if (f == NULL) {
        return mpb_error_sys(err, MPB_E_IO, path, "cannot open");
    }
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &bad);
    fclose(f);
    if (root == NULL) {
        const struct mpb_csv at = {.name = path, .line = bad.line > 0 ? (size_t)bad.line : 1};
        char where[sizeof(err->where)];
        mpb_csv_where(&at, where, sizeof(where));
        return mpb_error_set(err, MPB_E_INPUT, where, "is not JSON: %s", bad.text);
    }
    enum mpb_status st = read_root(&in, root);
    json_decref(root);
    return st;
}
