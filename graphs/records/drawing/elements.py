"""Elements of SVG. The library writes them, so that a text in one is never anything else."""

from xml.etree.ElementTree import Element


def element(tag: str, **given: str | float) -> Element:
    """An element: `font_size=` is its attribute font-size, `class_=` its class."""
    texts = {name: value if isinstance(value, str) else _number(value) for name, value in given.items()}
    return Element(tag, {name.rstrip("_").replace("_", "-"): text for name, text in texts.items()})


def add(parent: Element, tag: str, text: str | None = None, /, **given: str | float) -> Element:
    """The new last child of an element."""
    child = element(tag, **given)
    child.text = text
    parent.append(child)
    return child


def moved(x: float, y: float) -> str:
    """What moves an element there: its attribute `transform`."""
    return f"translate({_number(x)},{_number(y)})"


def _number(value: float) -> str:
    """Two digits behind the point are more than one sees."""
    return f"{round(value, 2):g}"
