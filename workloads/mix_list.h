/* mix_list.h: the named payload mixes, once. X(ID, name, bins, doc)
 * bins: LOW-HIGH:WEIGHT or SIZE:WEIGHT, comma-separated; sizes in bytes (k = 1000), weights are
 * relative; within a bin sizes are uniform. */
/* clang-format off */
#define MPB_MIX_LIST(X) \
    X(SEED,     "seed",     "10k:25,50k:50,150k:25", \
      "10/50/150 kB at exact quotas of 25/50/25 %, as the reference measures") \
    X(FLEET,    "fleet",    "5k-15k:980,15k-37600:10,37600-50k:3,50k-100k:7", \
      "sizes seen in a public fleet: 98 % 5-15 kB, 1 % to 37.6 kB, 0.3 % to 50 kB, 0.7 % to 100 kB") \
    X(BOUNDARY, "boundary", "65535:1,65536:1,65537:1,153521:1", \
      "both sides of 64 KiB, and the largest payload that fits a 150 KiB frame")
/* clang-format on */
