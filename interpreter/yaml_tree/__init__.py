"""Text to nodes with spans; the only importer of a YAML library.

The road of a text: look for characters that cannot stand in a document; build the tree from libyaml's events with an
explicit stack (`build`); where that failed or looked odd, mend the text (`mend`, `full_width`) and build again
(`tree`). What was mended is a finding, and the tree is that of the mended text with every place mapped back
(`reading`), so that one run of `lint` finds all there is to find. A clean document is read exactly once.

Only `true`, `false`, `null`, decimal integers and decimals are not text (`scalars`). Whatever YAML 1.1 would turn into
something else stays text and says so in `Scalar.surprise`; `surprises` makes warnings of them, the shape checker
errors.
"""

from interpreter.yaml_tree.alike import look_alikes
from interpreter.yaml_tree.escapes import eaten_paths
from interpreter.yaml_tree.files import document_names, near_file, read_source, reads_as_gbk
from interpreter.yaml_tree.full_width import half_list, unwrapped
from interpreter.yaml_tree.nodes import Mapping, Node, Scalar, Sequence, places, to_value
from interpreter.yaml_tree.reading import apply_edits
from interpreter.yaml_tree.scalars import surprises
from interpreter.yaml_tree.tree import read_tree
from interpreter.yaml_tree.unseen import unseen

__all__ = [
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "apply_edits",
    "document_names",
    "eaten_paths",
    "half_list",
    "look_alikes",
    "near_file",
    "places",
    "read_source",
    "read_tree",
    "reads_as_gbk",
    "surprises",
    "to_value",
    "unseen",
    "unwrapped",
]
