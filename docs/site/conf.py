# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Sphinx's settings. Its sources are made by stage.py; scripts/docs runs both."""

import os

project = "dualbvh"
copyright = "2026 the dualbvh authors"
version = release = os.environ.get("DUALBVH_VERSION", "")
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
master_doc = "index"
exclude_patterns = ["extra", "templates", "static"]

myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # of JSON with something left out

html_theme = "furo"
html_title = f"dualbvh {release}".strip()
html_extra_path = ["extra"]
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
python_maximum_signature_line_length = 100
add_module_names = False
