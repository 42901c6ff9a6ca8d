"""
An audit in MLflow
==================

Numbers, settings and pages of an audit, as a run of MLflow:

    errata audit train.csv --label species --out labels.audit
    python mlflow_logging.py labels.audit
"""

import json
import sys
from pathlib import Path

import mlflow

PAGES = ("report.html", "summary.md", "ranked.csv")


def log_audit(folder):
    """Log the audit in a folder, within the run that is active or in one of its own."""
    folder = Path(folder)
    found = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    about = found["about"]
    with mlflow.start_run(run_name=about["title"], nested=mlflow.active_run() is not None):
        mlflow.log_params({"kind": found["kind"], "label": about["label"], "seed": about["seed"]})
        mlflow.set_tag("errata.fingerprint", found["fingerprint"])
        mlflow.log_metrics(json.loads((folder / "metrics.json").read_text(encoding="utf-8")))
        for name in PAGES:
            mlflow.log_artifact(str(folder / name), artifact_path="audit")


if __name__ == "__main__":
    log_audit(sys.argv[1])
