# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Stand-ins for classes of other libraries, with their methods and dualbvh's answers."""
