/* caution.h: what a reader must know before believing a figure, each as one sentence, from the
 * session alone: what the harness noted, arms that differ in more than their code, arms that do
 * not differ at all, blocks that are missing, passes that failed, a machine that was busy. */
#ifndef MPB_REPORTS_CAUTION_H
#define MPB_REPORTS_CAUTION_H

#include "reports/model.h"

MPB_BEGIN_DECLS

/* Call say(ctx, sentence) for each; the sentence is borrowed for the call. Returns how many. */
size_t mpb_caution_each(const struct mpb_model *model, void (*say)(void *ctx, const char *sentence),
                        void *ctx);

MPB_END_DECLS

#endif
