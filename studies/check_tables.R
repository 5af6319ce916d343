# Compare data/mildew.csv and data/czech.csv with the copies in R packages:
#
#     Rscript studies/check_tables.R FOLDER
#
# FOLDER has the unpacked sources of the packages below (download.packages and untar; nothing is
# installed). Missing packages are skipped. data/README.md states the result.

folder <- commandArgs(trailingOnly = TRUE)[1]

# for each package: the file, and a function that returns its counts, the first factor varying fastest
copies <- list(
  mildew = list(
    gRbase = list("mildew.RData", function(e) e$mildew)
  ),
  czech = list(
    gRbase = list("reinis.RData", function(e) e$reinis),
    deal = list("reinis.rda", function(e) table(e$reinis)),
    # the next two packages name the first level, our "y", as "no", "<140", "<3" or "neg"
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
    different <- which(theirs != ours$count)
    cat(sprintf(
      "%s, %s %s: %d of %d cells agree, n = %d\n", name, package, version,
      sum(theirs == ours$count), nrow(ours), sum(theirs)
    ))
    for (i in different) {
      levels <- paste(factors, unlist(ours[i, factors]), sep = " ", collapse = ", ")
      cat(sprintf("  %s: %d here, %d there\n", levels, ours$count[i], theirs[i]))
    }
  }
}
