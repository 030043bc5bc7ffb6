/* scenario_macro.c: two relay nodes over loopback TCP: what the publisher publishes, the receiver
 * validates, delivers and archives. */
#include "workloads/macro.h"

const struct mpb_scenario mpb_scenario_macro = {
    "macro", "two relay nodes over loopback TCP: publish, validate, deliver, archive",
    mpb_macro_run};
