/* fake_worker.c: a worker for tests. Its variants are ways to behave, so that every fault can be
 * asked for by name: `msgpath compare good crash`. It keeps the protocol except where the variant
 * says otherwise, and prints rows of both kinds of pass, as a worker with one build would. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* X(name, doc) */
/* clang-format off */
#define VARIANT_LIST(X) \
    X("good", "takes 1000000 ns, two copies a message") \
    X("twice", "does in half the time what good does, without copies") \
    X("noisy", "as good, but its time is anything within 30 %") \
    X("other", "as good, but it delivers one message less") \
    X("varying", "as good, but its copies are not the same in each pass") \
    X("zero", "as good, but its clock shows 0") \
    X("crash", "ends by a signal") \
    X("hang", "never ends") \
    X("spawnhang", "ends, but a child of it goes on and holds its pipes") \
    X("exit3", "fails with a sentence on stderr") \
    X("skip", "cannot do it here") \
    X("empty", "prints nothing") \
    X("header", "prints a header and no row") \
    X("garbage", "prints something else") \
    X("torn", "prints half a last row") \
    X("ragged", "prints a row of four fields") \
    X("unit", "prints a metric in the wrong unit") \
    X("scenario", "prints a row of another scenario") \
    X("fraction", "prints a fractional count") \
    X("infinite", "prints inf") \
    X("negative", "prints a negative time") \
    X("comma", "prints a decimal comma") \
    X("dup", "prints a row twice") \
    X("sum", "prints a total that is not the sum of its parts") \
    X("foreign", "prints a metric nobody knows") \
    X("farrun", "prints a row of the last run there can be") \
    X("loud", "writes a megabyte to stderr and is good") \
    X("flood", "prints without end") \
    X("third", "crashes in every third pass, counted in the file $FAKE_COUNTER")
/* clang-format on */

static const char *const variants[][2] = {
#define X(name, doc) {name, doc},
    VARIANT_LIST(X)
#undef X
};

static int describe(const char *messages, int counts)
{
    if (strspn(messages, "0123456789") != strlen(messages)) {
        fprintf(stderr, "msgpath-worker: --messages: '%s' is not a number\n", messages);
        return 2;
    }
    puts("kind,name,unit,better,class,doc");
    puts("scenario,micro,,,,one");
    puts("scenario,macro2,,,,two");
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        printf("variant,%s,,,,\"%s\"\n", variants[i][0], variants[i][1]);
    }
    puts("mix,seed,,,,the mix");
    puts("site,app,,,,the app");
    puts("metric,messages,count,none,exact,messages");
    puts("metric,delivered,count,none,exact,delivered");
    puts("metric,msg_per_s,1/s,higher,timed,messages / wall");
    puts("metric,wall,ns,lower,timed,wall");
    puts("metric,decodes,count,lower,exact,decodes");
    puts("metric,copies,count,lower,exact,copies");
    puts("metric,peak_bytes,B,lower,level,peak");
    puts("metric,glow,lumen,higher,timed,a metric of its own");
    puts("option,messages,N,,1000,messages a run");
    puts("option,seed,N,,42,of the workload");
    puts("option,deep,,,,a flag");
    puts("build,compiler,,,,cc 1");
    puts("build,flags,,,,-O2");
    puts(counts ? "build,probes,,,,on" : "build,probes,,,,off");
    return 0;
}

static double random_share(void)
{
    unsigned v = 0;
    return getrandom(&v, sizeof(v), 0) == (ssize_t)sizeof(v) ? v / 4294967296.0 : 0.5;
}

static int is(const char *variant, const char *name)
{
    return strcmp(variant, name) == 0;
}

static void print_run(const char *s, const char *variant, int run, unsigned long messages)
{
    double wall = is(variant, "twice") ? 5e5 : 1e6;
    unsigned long copies = is(variant, "twice") ? 0 : 2 * messages;
    wall *= is(variant, "noisy") ? 0.7 + 0.6 * random_share() : 1;
    copies += is(variant, "varying") ? (unsigned long)(1000 * random_share()) : 0;
    printf("%s,%d,messages,count,%lu\n", s, run, messages);
    printf("%s,%d,delivered,count,%lu\n", s, run, messages - (unsigned long)is(variant, "other"));
    printf("%s,%d,wall,ns,%.0f\n", s, run, is(variant, "zero") ? 0 : wall);
    printf("%s,%d,msg_per_s,1/s,%.3f\n", s, run,
           is(variant, "zero") ? 0 : (double)messages / wall * 1e9);
    printf("%s,%d,decodes,count,%lu\n", s, run, 2 * messages);
    printf("%s,%d,decodes/validator,count,%lu\n", s, run, messages);
    printf("%s,%d,decodes/app,count,%lu\n", s, run, messages - (unsigned long)is(variant, "sum"));
    printf("%s,%d,copies,count,%lu\n", s, run, copies);
    if (copies > 0) {
        printf("%s,%d,copies/app,count,%lu\n", s, run, copies);
    }
    printf("%s,%d,peak_bytes,B,%d\n", s, run, is(variant, "twice") ? 4096 : 8192);
}

/* What spoils an otherwise good output. */
static void print_spoiler(const char *s, const char *variant)
{
    static const char *const rows[][2] = {
        {"torn", "1,minor_faults,count,1"}, {"ragged", "1,cpu,ns\n"},
        {"unit", "1,cpu,us,12\n"},          {"fraction", "1,hashes,count,1.5\n"},
        {"infinite", "1,cpu,ns,inf\n"},     {"negative", "1,cpu,ns,-1.5\n"},
        {"comma", "1,cpu,ns,\"1,5\"\n"},    {"dup", "1,wall,ns,1000000\n"},
        {"foreign", "1,glow,lumen,2.5\n"},  {"farrun", "65535,wall,ns,7\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (is(variant, rows[i][0])) {
            printf("%s,%s", s, rows[i][1]);
        }
    }
    if (is(variant, "scenario")) {
        puts("elsewhere,1,cpu,ns,1");
    }
}

/* True in every third call, over all processes that share the file. */
static int third_time(void)
{
    const char *path = getenv("FAKE_COUNTER");
    FILE *f = path != NULL ? fopen(path, "a+") : NULL;
    if (f == NULL) {
        return 0;
    }
    fputc('x', f);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    fclose(f);
    return n % 3 == 0;
}

static void misbehave(const char *variant)
{
    if (is(variant, "crash") || (is(variant, "third") && third_time())) {
        fputs("about to crash\n", stderr);
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn it into an exit */
        raise(SIGSEGV);
    }
    if (is(variant, "hang")) {
        for (;;) {
            pause();
        }
    }
    if (is(variant, "exit3")) {
        fputs("first line\nno luck today\n\n", stderr);
        exit(3);
    }
    if (is(variant, "skip")) {
        fputs("no such device\n", stderr);
        exit(77);
    }
    if (is(variant, "empty")) {
        exit(0);
    }
    for (int i = 0; is(variant, "loud") && i < 20000; i++) {
        fputs("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", stderr);
    }
    while (is(variant, "flood")) {
        puts("micro,1,wall,ns,1");
    }
    if (is(variant, "spawnhang")) {
        pid_t child = fork();
        if (child == 0) {
            for (;;) {
                pause();
            }
        }
        fprintf(stderr, "%d\n", (int)child);
    }
}

int main(int argc, char **argv)
{
    const char *scenario = "", *variant = "good", *messages = "1000";
    int describes = 0, counts = 0;
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        describes = describes || strcmp(argv[i], "--describe") == 0;
        counts = counts || strcmp(argv[i], "--counts") == 0;
        scenario = strcmp(argv[i], "--scenario") == 0 ? next : scenario;
        variant = strcmp(argv[i], "--variant") == 0 ? next : variant;
        messages = strcmp(argv[i], "--messages") == 0 ? next : messages;
    }
    if (describes) {
        return describe(messages, counts);
    }
    misbehave(variant);
    if (is(variant, "garbage")) {
        puts("Segmentation fault (not really)");
        return 0;
    }
    puts("scenario,run,metric,unit,value");
    if (is(variant, "header")) {
        return 0;
    }
    print_run(scenario, variant, 1, strtoul(messages, NULL, 10));
    print_run(scenario, variant, 2, strtoul(messages, NULL, 10));
    print_spoiler(scenario, variant);
    return 0;
}
