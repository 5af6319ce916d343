"""Validate a crate with roc-validator, without a network, and print the findings as JSON.

    .venv/validator/bin/python tests/archive/validate.py FOLDER

This program runs in the environment of validator.lock. The JSON-LD context that a crate names is
not downloaded: the copy in the rocrate package is put into the validator's cache of web pages.
"""

import json
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from rocrate_validator import models, services
from urllib3 import HTTPResponse

PROFILE = "workflow-run-crate-0.5"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"


class LocalContext(HTTPAdapter):
    """An adapter that answers every request with the local copy of the context."""

    def send(self, request, *_, **__):
        body = files("rocrate").joinpath("data/ro-crate.jsonld").open("rb")
        headers = {"Content-Type": "application/ld+json"}
        raw = HTTPResponse(body, headers, 200, preload_content=False, request_url=request.url)
        return self.build_response(request, raw)


def main(folder):
    with tempfile.TemporaryDirectory() as temporary:
        cache = Path(temporary, "pages")
        with CachedSession(str(cache), backend="sqlite", expire_after=-1) as session:
            session.mount("https://", LocalContext())
            assert session.get(CONTEXT).json()["@id"] == CONTEXT
        result = services.validate(
            services.ValidationSettings(
                rocrate_uri=folder,
                profile_identifier=PROFILE,
                requirement_severity=models.Severity.RECOMMENDED,
                offline=True,
                cache_path=cache,
            )
        )
        findings = [
            [issue.severity.name, issue.check.identifier, issue.message]
            for issue in result.get_issues()
        ]
    json.dump(findings, sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
