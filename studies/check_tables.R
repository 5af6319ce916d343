# data/mildew.csv and data/czech.csv beside the copies that R packages ship:
#
#     Rscript studies/check_tables.R FOLDER
#
# FOLDER holds the sources of the packages below, unpacked (download.packages and untar; nothing is
# installed). A package that is not there is left out. What it printed is in data/README.md.

folder <- commandArgs(trailingOnly = TRUE)[1]

# file, what it holds, and how to count its cells, the first factor varying fastest
copies <- list(
  mildew = list(
    gRbase = list("mildew.RData", function(e) e$mildew)
  ),
  czech = list(
    gRbase = list("reinis.RData", function(e) e$reinis),
    deal = list("reinis.rda", function(e) table(e$reinis)),
    # to these two the first level, our "y", is "no", "<140", "<3" or "neg"
    conting = list("heart.rda", function(e) rev(xtabs(y ~ A + B + C + D + E + F, e$heart))),
    bnlearn = list("coronary.rda", function(e) table(e$coronary))
  )
)

for (name in names(copies)) {
  ours <- read.csv(file.path("data", paste0(name, ".csv")))
  factors <- setdiff(names(ours), "count")
  for (package in names(copies[[name]])) {
    copy <- copies[[name]][[package]]
    path <- file.path(folder, package, "data", copy[[1]])
    if (!file.exists(path)) next
    environment <- new.env()
    load(path, environment)
    theirs <- as.vector(copy[[2]](environment))
    version <- read.dcf(file.path(folder, package, "DESCRIPTION"), "Version")
    other <- which(theirs != ours$count)
    cat(sprintf(
      "%s, %s %s: %d of %d cells agree, n = %d\n", name, package, version,
      sum(theirs == ours$count), nrow(ours), sum(theirs)
    ))
    for (i in other) {
      levels <- paste(factors, unlist(ours[i, factors]), sep = " ", collapse = ", ")
      cat(sprintf("  %s: %d here, %d there\n", levels, ours$count[i], theirs[i]))
    }
  }
}
