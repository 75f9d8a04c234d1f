"""The container files name what exists: paths, variables, options, a user and routes."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from app.main import create_app
from app.settings import Settings

ROOT = Path(__file__).parent.parent.parent
CONTAINER = (ROOT / "Containerfile").read_text()
COMPOSE = (ROOT / "docs/deploy/compose.yaml").read_text()
KUBERNETES = (ROOT / "docs/deploy/kubernetes.yaml").read_text()
ROUTES = {route.path for route in create_app().routes if hasattr(route, "path")} | {"/healthz", "/readyz", "/metrics"}


def test_what_is_copied_exists_and_is_not_ignored():
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = [words.split()[:-1] for words in re.findall(r"^COPY (?!--from)(.+)$", CONTAINER, re.M)]
    names = [name for words in copied for name in words]
    assert {"requirements.lock", "app", "pricing", "templates"} <= set(names)
    assert all((ROOT / name).exists() for name in names)
    assert kept == set(names)


def test_it_runs_as_nobody_with_the_lock_s_hashes():
    assert re.search(r"^USER 10001$", CONTAINER, re.M)
    assert "--require-hashes -r requirements.lock" in CONTAINER
    assert 'CMD ["perdollar", "serve"]' in CONTAINER
    pinned = re.search(r'requires = \["(hatchling==[\d.]+)"\]', (ROOT / "pyproject.toml").read_text())[1]
    assert pinned in CONTAINER


def test_variables_are_settings():
    named = set(re.findall(r"PERDOLLAR_([A-Z_]+)", CONTAINER + COMPOSE + KUBERNETES))
    assert {"HOST", "WORKERS", "TRUSTED_PROXIES", "LOG_FORMAT", "TOKENS_FILE"} <= named
    assert named <= {name.upper() for name in Settings.model_fields}


def test_compose_and_kubernetes_are_tight():
    service = yaml.safe_load(COMPOSE)["services"]["perdollar"]
    folder = ROOT / "docs/deploy"
    assert (folder / service["build"]["context"] / service["build"]["dockerfile"]).resolve() == ROOT / "Containerfile"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["environment"]["PERDOLLAR_TRUSTED_PROXIES"] in COMPOSE.partition("networks:\n  inside")[2]
    deployment, its_service, budget = yaml.safe_load_all(KUBERNETES)
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert "memory" in container["resources"]["limits"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in ("/readyz", "/healthz")
    # Running requests have their time before the pod is killed.
    grace = Settings.model_fields["grace"].default
    assert pod["terminationGracePeriodSeconds"] >= grace + 5 + 5
    assert int(re.search(r"stop_grace_period: (\d+)s", COMPOSE)[1]) >= grace + 5
    assert its_service["spec"]["selector"] == budget["spec"]["selector"]["matchLabels"]
