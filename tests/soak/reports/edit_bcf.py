# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Works on each topic of a BCF by IfcOpenShell's client, as people do in a program for buildings.

    edit_bcf.py edit FROM TO     a status, an assignee and a comment for each topic; prints how many there are
    edit_bcf.py check FILE       does each topic have these, once?
"""

from __future__ import annotations

import sys
import uuid
from pathlib import Path

from bcf.bcfxml import load
from xsdata.models.datatype import XmlDateTime

WHEN = XmlDateTime.from_string("2027-01-14T10:00:00Z")
STATUS, ASSIGNEE, AUTHOR, COMMENT = "In Progress", "Bob", "Ann", "seen on site <&> \u00e4"


def edit(source: str, target: str) -> None:
    with load(Path(source)) as bcf:
        for handler in bcf.topics.values():
            topic = handler.topic
            topic.topic_status, topic.assigned_to = STATUS, ASSIGNEE
            topic.modified_date, topic.modified_author = WHEN, AUTHOR
            kind = type(handler.comments[0]) if handler.comments else comment_type(bcf)
            handler.comments = [*handler.comments, kind(guid=str(uuid.uuid4()), date=WHEN, author=AUTHOR, comment=COMMENT)]
        print(len(bcf.topics))
        bcf.save(Path(target))


def comment_type(bcf: object) -> type:
    if type(bcf).__module__.startswith("bcf.v2"):
        from bcf.v2.model import Comment
    else:
        from bcf.v3.model import Comment
    return Comment


def check(source: str) -> None:
    with load(Path(source)) as bcf:
        for handler in bcf.topics.values():
            topic = handler.topic
            assert (topic.topic_status, topic.assigned_to) == (STATUS, ASSIGNEE), topic
            said = [(c.author, c.comment) for c in handler.comments if c.comment and COMMENT in c.comment]
            assert len(said) == 1, said
            assert all(v.visualization_info is not None for v in handler.viewpoints.values())


if __name__ == "__main__":
    {"edit": edit, "check": check}[sys.argv[1]](*sys.argv[2:])
