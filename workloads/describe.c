/* describe.c: the lists of this worker as rows. */
#include "workloads/describe.h"

#include <string.h>

#include "core/archive.h"
#include "core/hasher.h"
#include "core/owned.h"
#include "instrument/allocator.h"
#include "workloads/build_facts_gen.h"
#include "workloads/link.h"
#include "workloads/relay.h"
#include "workloads/worker_opt.h"

/* A field, quoted when it must be (RFC 4180). */
static void put_field(FILE *f, const char *text, char end)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, f);
    } else {
        fputc('"', f);
        for (; *text != '\0'; text++) {
            if (*text == '"') {
                fputc('"', f);
            }
            fputc(*text, f);
        }
        fputc('"', f);
    }
    fputc(end, f);
}

struct row {
    const char *kind, *name, *unit, *better, *class_, *doc;
};

static void put_row(FILE *f, struct row row)
{
    put_field(f, row.kind, ',');
    put_field(f, row.name, ',');
    put_field(f, row.unit != NULL ? row.unit : "", ',');
    put_field(f, row.better != NULL ? row.better : "", ',');
    put_field(f, row.class_ != NULL ? row.class_ : "", ',');
    put_field(f, row.doc != NULL ? row.doc : "", '\n');
}

static void put_names(FILE *f)
{
    size_t n = 0;
    const struct mpb_scenario *const *scenario = mpb_scenario_all(&n);
    for (size_t i = 0; i < n; i++) {
        put_row(f, (struct row){
                       .kind = "scenario", .name = scenario[i]->name, .doc = scenario[i]->doc});
    }
    const struct mpb_variant *variant = mpb_variant_all(&n);
    for (size_t i = 0; i < n; i++) {
        put_row(f, (struct row){.kind = "variant", .name = variant[i].name, .doc = variant[i].doc});
    }
    const struct mpb_mix_info *mix = mpb_mix_all(&n);
    for (size_t i = 0; i < n; i++) {
        put_row(f, (struct row){.kind = "mix", .name = mix[i].name, .doc = mix[i].doc});
    }
    for (size_t i = 0; i < MPB_SITE__COUNT; i++) {
        const struct mpb_site_info *site = mpb_metric_site_info((enum mpb_site)i);
        put_row(f, (struct row){.kind = "site", .name = site->name, .doc = site->doc});
    }
}

static void put_metrics(FILE *f)
{
    for (size_t i = 0; i < MPB_METRIC__COUNT; i++) {
        const struct mpb_metric_info *m = mpb_metric_info((enum mpb_metric)i);
        put_row(f, (struct row){"metric", m->name, mpb_metric_unit_name(m->unit),
                                mpb_metric_better_name(m->better), mpb_metric_class_name(m->class_),
                                m->doc});
    }
}

static void put_options(FILE *f)
{
    for (const struct mpb_opt *o = mpb_worker_opt_workload(); o->name != NULL; o++) {
        put_row(f, (struct row){.kind = "option",
                                .name = o->name,
                                .unit = o->arg,
                                .class_ = o->fallback,
                                .doc = o->help});
    }
}

static void put_fact(FILE *f, const char *name, const char *value)
{
    put_row(f, (struct row){.kind = "build", .name = name, .doc = value});
}

static void put_build(FILE *f, bool counting)
{
    put_fact(f, "version", MPB_BUILD_VERSION);
    put_fact(f, "compiler", MPB_BUILD_COMPILER);
    put_fact(f, "flags", MPB_BUILD_FLAGS);
    put_fact(f, "buildtype", MPB_BUILD_TYPE);
    put_fact(f, "probes", counting ? "on" : "off");
    put_fact(f, "allocator", mpb_allocator_version());
    put_fact(f, "libcrypto", mpb_hasher_library());
    put_fact(f, "libcrypto_cpu", mpb_hasher_cpu());
    put_fact(f, "protobuf_c", mpb_owned_library());
    put_fact(f, "sqlite", mpb_archive_library());
}

/* What a macro session finds here: its sockets, and where its nodes are pinned. */
static void put_macro(FILE *f)
{
    char congestion[16], cpus[32];
    mpb_link_congestion(congestion);
    snprintf(cpus, sizeof(cpus), "publisher %d receiver %d", mpb_link_cpu(MPB_RELAY_PUBLISHER),
             mpb_link_cpu(MPB_RELAY_RECEIVER));
    put_fact(f, "tcp_congestion", congestion[0] != '\0' ? congestion : "cannot be set");
    put_fact(f, "macro_cpus", cpus);
}

static enum mpb_status end(FILE *f, struct mpb_error *err)
{
    if (fflush(f) != 0 || ferror(f)) {
        return mpb_error_sys(err, MPB_E_IO, "stdout", "cannot write");
    }
    return MPB_OK;
}

enum mpb_status mpb_describe_print(FILE *f, bool counting, struct mpb_error *err)
{
    fprintf(f, "%s\n", MPB_DESCRIBE_HEADER);
    put_names(f);
    put_metrics(f);
    put_options(f);
    put_build(f, counting);
    put_macro(f);
    return end(f, err);
}

enum mpb_status mpb_describe_limit(FILE *f, const char *scenario, const char *doc,
                                   struct mpb_error *err)
{
    fprintf(f, "%s\n", MPB_DESCRIBE_HEADER);
    put_row(f, (struct row){.kind = "scenario", .name = scenario, .doc = doc});
    put_metrics(f);
    return end(f, err);
}
