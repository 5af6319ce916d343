"""What surrounds the work of a run: its lock, jobs, files, fingerprints, manifest and pages."""
