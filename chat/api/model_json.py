"""Models to choose from as the API answers with them."""

from typing import Self

from chat.providers.registry import Choice
from graphs.site.api.paging import PageShape
from graphs.site.shapes import Shape


class PriceShape(Shape):
    """US dollars per million tokens."""

    input: float
    cached_input: float
    output: float


class ModelShape(Shape):
    """`strength` orders models, 0 where it is unknown; `stronger` is the id of the next stronger one. `price` is null
    where nobody knows it. `context_window`: tokens of prompt and answer together."""

    id: str
    label: str
    provider: str
    model: str
    reasons: bool
    strength: int
    stronger: str | None
    price: PriceShape | None
    context_window: int

    @classmethod
    def of(cls, choice: Choice, stronger: Choice | None) -> Self:
        price = PriceShape.from_attributes(choice.price) if choice.price else None
        return cls.from_attributes(choice, stronger=stronger.id if stronger else None, price=price)


class ModelList(PageShape[ModelShape]):
    default: str
