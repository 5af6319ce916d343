# Compare R's e1071::svm and the formula of entropy::KL.Dirichlet with our results. FOLDER has the
# files written by studies/compare_with_r.py, which runs: Rscript studies/compare_with_r.R FOLDER

suppressMessages(library(e1071))
folder <- commandArgs(trailingOnly = TRUE)[1]
read <- function(name) read.csv(file.path(folder, name), stringsAsFactors = TRUE)
cat(R.version.string, ", e1071 ", as.character(packageVersion("e1071")), "\n", sep = "")

# ---- classifiers: a cell with count k becomes k equal records, because svm() takes no weights
cells <- read("cells.csv")
test <- read("test.csv")
counts <- read("counts.csv")
ours <- read("predictions.csv") # 1 if the larger income is predicted
for (name in names(cells)) {
  if (is.factor(cells[[name]])) {
    all_levels <- sort(union(levels(cells[[name]]), levels(test[[name]])), method = "radix")
    cells[[name]] <- factor(cells[[name]], levels = all_levels)
    test[[name]] <- factor(test[[name]], levels = all_levels)
  }
}
compare <- function(title, model, test, predictions) {
  larger_income <- levels(test$income)[2]
  accuracy <- function(is_larger) 100 * mean(is_larger == (test$income == larger_income))
  by_r <- predict(model, test) == larger_income
  cat(sprintf(
    "%s: %d columns, %d records, R %.4f %%, ours %.4f %%, predicted otherwise: %d of %d\n",
    title, ncol(model$SV), nrow(model$x.train), accuracy(by_r), accuracy(predictions == 1),
    sum(by_r != (predictions == 1)), nrow(test)
  ))
}
expanded <- function(frame, count) frame[rep(seq_len(nrow(frame)), count), ]

records <- expanded(cells, counts$original)
model <- svm(income ~ ., data = records)
model$x.train <- records
compare("original, svm(income ~ ., data)", model, test, ours$original)

# releases: numeric columns are scaled over the original training records, as in our program, and
# not over the release, as svm() would
numeric <- names(cells)[sapply(cells, is.numeric)]
centre <- sapply(records[numeric], mean)
spread <- sapply(records[numeric], sd)
scaled <- function(frame) {
  frame[numeric] <- scale(frame[numeric], centre, spread)
  frame
}
for (name in setdiff(names(counts), "original")) {
  records <- expanded(scaled(cells), counts[[name]])
  model <- svm(income ~ ., data = records, scale = FALSE)
  model$x.train <- records
  compare(paste(name, "rounded"), model, scaled(test), ours[[name]])
}

# ---- divergences: the published formula of KL.Dirichlet(y1, y2, a1 = a, a2 = a)
freqs_dirichlet <- function(y, a) (y + a) / sum(y + a)
kl_dirichlet <- function(y1, y2, a) {
  f1 <- freqs_dirichlet(y1, a)
  f2 <- freqs_dirichlet(y2, a)
  sum(f1 * ifelse(f1 > 0, log(f1 / f2), 0))
}
divergences <- read("divergences.csv")
for (dataset in unique(divergences$dataset)) {
  original <- read(paste0("original_", dataset, ".csv"))[[1]]
  rows <- divergences[divergences$dataset == dataset, ]
  largest_difference <- 0
  for (i in seq_len(nrow(rows))) {
    released <- read(paste0("release_", dataset, "_", rows$release[i], ".csv"))[[1]]
    forward <- kl_dirichlet(original, released, rows$pseudo_count[i])
    reverse <- kl_dirichlet(released, original, rows$pseudo_count[i])
    differences <- abs(c(forward / rows$kl[i], reverse / rows$kl_reverse[i]) - 1)
    largest_difference <- max(largest_difference, differences)
  }
  cat(sprintf(
    "%s: %d divergences, %.6g to %.6g, largest relative difference %.1e\n",
    dataset, 2 * nrow(rows), min(rows$kl, rows$kl_reverse), max(rows$kl, rows$kl_reverse),
    largest_difference
  ))
}
