import uuid
from decimal import Decimal
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models

from graphs.models import Graph, Workspace


class Shop(models.Model):
    """Holds products; known by a number."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    motto = models.TextField(blank=True)

    class Meta:
        app_label = "shop"


class Product(models.Model):
    """Known by a UUID; of the workspace of its shop."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    shop = models.ForeignKey(Shop, models.CASCADE, related_name="products")
    name = models.CharField(max_length=100)
    notes = models.TextField(blank=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal(0))
    since = models.DateField(null=True, blank=True)
    weight = models.FloatField(null=True, blank=True)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        app_label = "shop"

    def clean(self) -> None:
        if self.price is not None and self.price < 0:
            raise ValidationError({"price": "A price is not negative."})


class Page(models.Model):
    """Held by a graph, which is named by a key of its own."""

    graph = models.ForeignKey(Graph, models.CASCADE, related_name="+")
    key = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        app_label = "shop"
        constraints: ClassVar = [models.UniqueConstraint(fields=["graph", "key"], name="page_key_in_graph")]

    def __str__(self) -> str:
        return self.name
