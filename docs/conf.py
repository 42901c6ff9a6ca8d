"""How Sphinx builds the site: `make docs`, or `make docs-quick` without running the examples."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_site"))

import assistants  # noqa: E402
import commands  # noqa: E402
import demo  # noqa: E402
import mathml  # noqa: E402
import rooms  # noqa: E402
import small  # noqa: E402

import errata  # noqa: E402

project = "errata"
author = "The errata developers"
copyright = "the errata developers"
release = version = errata.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "_demo", "_site", "_templates", "_words", "reference/used_in"]

# Markdown pages are read on the forge and by pytest as well, so they hold no directives.
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]

# Addresses are checked within the site alone: nothing is fetched while it is built.
ELSEWHERE = r"(numpy|scipy|sklearn|pandas|pyarrow|matplotlib|collections)\b.*"
nitpick_ignore_regex = [(r"py:.*", ELSEWHERE)]

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "examples",
    "filename_pattern": "plot_",
    "subsection_order": [
        *(
            f"../examples/{folder}"
            for folder in ("finding", "learning", "papers", "kinds", "evidence")
        ),
        "*",
    ],
    "doc_module": ("errata",),
    "backreferences_dir": "reference/used_in",
    "abort_on_example_error": True,
    "write_computation_times": False,  # its page would load scripts from elsewhere
    "reset_modules": ("matplotlib",),
    "remove_config_comments": True,
}

templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "errata"
html_extra_path = ["_demo"]  # made by the build
html_static_path = ["_static"]
html_css_files = ["errata.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "show_prev_next": False,
    "navigation_depth": 2,
    "collapse_navigation": True,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def from_elsewhere(app, what, name, thing, skip, options):
    """Methods that scikit-learn adds to every estimator are described there."""
    return skip or str(getattr(thing, "__module__", "")).startswith("sklearn.")


def setup(app):
    """Write what the build makes itself, before pages are looked for."""
    app.connect("config-inited", lambda app, config: rooms.write(HERE / "reference" / "rooms"))
    app.connect(
        "config-inited", lambda app, config: commands.write(HERE / "reference/commands.rst")
    )
    app.connect("config-inited", lambda app, config: demo.write(HERE / "_demo", HERE / "_words"))
    app.connect("config-inited", lambda app, config: assistants.write(HERE, HERE / "_demo"))
    app.connect("autodoc-skip-member", from_elsewhere)
    app.connect("build-finished", lambda app, exception: small.shrink(Path(app.outdir)))
    app.add_html_math_renderer("mathml", (mathml.inline, None), (mathml.block, None))
