/* env.c: one table of facts, each read from a file of /proc or /sys, or asked of the system. */
#include "harness/env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "instrument/parse.h"

enum { FACT_MAX = 256, CPUINFO_MAX = 65536 };

static void trim(char *s)
{
    size_t n = strlen(s);
    while (n > 0 && (unsigned char)s[n - 1] <= ' ') {
        s[--n] = '\0';
    }
}

/* The start of a file into out[cap]; "" if it cannot be read. */
static void read_file(const char *path, char *out, size_t cap)
{
    FILE *f = fopen(path, "re");
    size_t n = f != NULL ? fread(out, 1, cap - 1, f) : 0;
    out[n] = '\0';
    if (f != NULL) {
        fclose(f);
    }
}

/* The first line of a file. */
static void first_line(const char *path, char *out)
{
    read_file(path, out, FACT_MAX);
    out[strcspn(out, "\n")] = '\0';
    trim(out);
}

/* The value of a "key : value" line of /proc/cpuinfo's first CPU into out[cap]. */
static void cpuinfo_line(const char *key, char *out, size_t cap)
{
    char *text = malloc(CPUINFO_MAX);
    out[0] = '\0';
    if (text == NULL) {
        return;
    }
    read_file("/proc/cpuinfo", text, CPUINFO_MAX);
    const char *line = text;
    while (line != NULL && strncmp(line, key, strlen(key)) != 0) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    const char *colon = line != NULL ? strchr(line, ':') : NULL;
    if (colon != NULL) {
        const char *value = colon + 1 + strspn(colon + 1, " ");
        snprintf(out, cap, "%.*s", (int)strcspn(value, "\n"), value);
    }
    free(text);
}

/* "yes" or "no" for a CPU flag; "" where the kernel lists none. */
static void cpu_flag(const char *flag, char *out)
{
    char flags[8192], spaced[8192 + 2], word[64];
    cpuinfo_line("flags", flags, sizeof(flags));
    if (flags[0] != '\0') {
        snprintf(spaced, sizeof(spaced), " %s ", flags);
        snprintf(word, sizeof(word), " %s ", flag);
        snprintf(out, FACT_MAX, "%s", strstr(spaced, word) != NULL ? "yes" : "no");
    }
}

static void read_cpu(const char *arg, char *out)
{
    cpuinfo_line(arg, out, FACT_MAX);
}

static void read_cpus(const char *arg, char *out)
{
    (void)arg;
    snprintf(out, FACT_MAX, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
}

static void read_kernel(const char *arg, char *out)
{
    struct utsname u;
    (void)arg;
    if (uname(&u) == 0) {
        snprintf(out, FACT_MAX, "%.60s %.80s %.60s", u.sysname, u.release, u.machine);
    }
}

static void read_memory(const char *arg, char *out)
{
    (void)arg;
    snprintf(out, FACT_MAX, "%lld B",
             (long long)sysconf(_SC_PHYS_PAGES) * (long long)sysconf(_SC_PAGESIZE));
}

static void read_variable(const char *arg, char *out)
{
    const char *value = getenv(arg);
    snprintf(out, FACT_MAX, "%s", value == NULL ? "not set" : value);
}

static void read_container(const char *arg, char *out)
{
    (void)arg;
    bool inside = access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
                  getenv("container") != NULL;
    snprintf(out, FACT_MAX, "%s", inside ? "yes" : "none seen");
}

/* The first field of a load or pressure file, as it stands there. */
static void read_load1(const char *arg, char *out)
{
    first_line(arg, out);
    out[strcspn(out, " ")] = '\0';
}

static void read_pressure(const char *arg, char *out)
{
    char line[FACT_MAX];
    first_line(arg, line);
    const char *avg10 = strstr(line, "avg10=");
    if (avg10 != NULL) {
        snprintf(out, FACT_MAX, "%.*s", (int)strcspn(avg10 + 6, " "), avg10 + 6);
    }
}

/* Fill out[FACT_MAX] (it is "" before), or leave it empty for "n/a". */
static const struct {
    const char *key;
    void (*read)(const char *arg, char *out);
    const char *arg;
} facts[] = {
    {"cpu", read_cpu, "model name"},
    {"cpus", read_cpus, NULL},
    {"sha_extension", cpu_flag, "sha_ni"},
    {"hypervisor", cpu_flag, "hypervisor"},
    {"container", read_container, NULL},
    {"memory", read_memory, NULL},
    {"kernel", read_kernel, NULL},
    {"governor", first_line, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
    {"aslr", first_line, "/proc/sys/kernel/randomize_va_space"},
    {"transparent_hugepage", first_line, "/sys/kernel/mm/transparent_hugepage/enabled"},
    {"tcp_congestion_control", first_line, "/proc/sys/net/ipv4/tcp_congestion_control"},
    {"MALLOC_CONF", read_variable, "MALLOC_CONF"},
    {"LD_PRELOAD", read_variable, "LD_PRELOAD"},
    {"load1", read_load1, "/proc/loadavg"},
    {"psi_cpu", read_pressure, "/proc/pressure/cpu"},
};

enum mpb_status mpb_env_collect(struct mpb_pairs *environment, struct mpb_error *err)
{
    enum mpb_status st = MPB_OK;
    for (size_t i = 0; i < MPB_ARRAY_LEN(facts) && st == MPB_OK; i++) {
        char value[FACT_MAX] = "";
        facts[i].read(facts[i].arg, value);
        st = mpb_pairs_set(environment, facts[i].key, value[0] != '\0' ? value : "n/a", err);
    }
    return st;
}

static double number_or_nan(const char *text)
{
    double v = NAN;
    return mpb_parse_double(text, NULL, &v, NULL) == MPB_OK ? v : (double)NAN;
}

void mpb_env_read_load(double *out_load1, double *out_psi_cpu)
{
    char text[FACT_MAX] = "";
    read_load1("/proc/loadavg", text);
    *out_load1 = number_or_nan(text);
    text[0] = '\0';
    read_pressure("/proc/pressure/cpu", text);
    *out_psi_cpu = number_or_nan(text);
}
