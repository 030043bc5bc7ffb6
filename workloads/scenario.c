/* scenario.c: the registry, from the generated list. */
#include "workloads/scenario.h"

#include <string.h>

#include "workloads/scenario_list_gen.h"

#define MPB_X(name) extern const struct mpb_scenario mpb_scenario_##name;
MPB_SCENARIO_LIST(MPB_X)
#undef MPB_X

static const struct mpb_scenario *const scenarios[] = {
#define MPB_X(name) &mpb_scenario_##name,
    MPB_SCENARIO_LIST(MPB_X)
#undef MPB_X
};

const struct mpb_scenario *const *mpb_scenario_all(size_t *n)
{
    *n = MPB_ARRAY_LEN(scenarios);
    return scenarios;
}

const struct mpb_scenario *mpb_scenario_find(const char *name)
{
    for (size_t i = 0; i < MPB_ARRAY_LEN(scenarios); i++) {
        if (strcmp(scenarios[i]->name, name) == 0) {
            return scenarios[i];
        }
    }
    return NULL;
}
