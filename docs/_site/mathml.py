"""Formulas as MathML, which browsers draw by themselves: no script is loaded from elsewhere."""

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml


def inline(writer, node):
    """A formula within a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise SkipNode


def block(writer, node):
    """A formula that stands by itself."""
    writer.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode
