"""What the repository promises about itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [ROOT / folder for folder in ("server", "clients/python", "tournament", "proto/gen/python")]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("clients/*/*.md")])


def test_palio_is_a_namespace_package() -> None:
    assert [root for root in SOURCES if (root / "palio" / "__init__.py").exists()] == []


def test_the_readme_shows_the_example_bot_as_it_is() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    bot = (ROOT / "examples" / "first_bot.py").read_text()
    assert shown == bot
    assert len(bot.splitlines()) <= 20


def test_the_page_of_fidelitas_shows_the_example_bot_as_it_is() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "fidelitas.md").read_text(), re.DOTALL)
    assert shown == (ROOT / "examples" / "partner_bot.py").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    local = [target for target in targets if not re.match(r"[a-z]+:", target)]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_every_decision_has_a_number_of_its_own() -> None:
    names = [page.name for page in ROOT.glob("docs/decisions/[0-9]*.md")]
    assert len({name[:4] for name in names}) == len(names)
    for name in names:
        title = (ROOT / "docs/decisions" / name).read_text().partition("\n")[0]
        assert title.startswith(f"# {int(name[:4])}. "), name
