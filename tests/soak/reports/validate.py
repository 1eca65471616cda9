# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Holds XML files against a schema: validate.py SCHEMA FILE..."""

import sys

from lxml import etree

schema = etree.XMLSchema(etree.parse(sys.argv[1]))
for path in sys.argv[2:]:
    schema.assertValid(etree.parse(path))
print(f"{len(sys.argv) - 2} files")
