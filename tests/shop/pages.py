"""The addresses of a project that has a page for each product, in the layout of the house."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import include, path

from graphs.site.access import Member
from graphs.site.pages import member_page, render_page
from tests.shop.models import Product


@member_page
def product(request: HttpRequest, member: Member, key: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(Product, pk=key, shop__workspace=member.workspace)
    return render_page(request, member, "shop/product.html", {"product": found})


urlpatterns = [path("products/<uuid:key>/", product, name="product"), path("", include("config.urls"))]
