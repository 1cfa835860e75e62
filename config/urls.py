"""All addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from config import health, metrics
from graphs.account import SignOut
from graphs.site import error_pages
from graphs.site.login_limit import LimitedAdminLoginForm

admin.site.login_form = LimitedAdminLoginForm
admin.site.logout = SignOut.as_view()  # type: ignore[assignment,method-assign]

urlpatterns = [
    path("healthz", health.live),
    path("readyz", health.ready),
    path("metrics", metrics.show),
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}graphs/icon.svg")),
    path("api/v1/", include("graphs.api.urls")),
    path("api/v1/", include("chat.api.urls")),
    re_path("^api/", error_pages.unknown_api_path),
    path("i18n/", include("django.conf.urls.i18n")),
    # One page changes one's password, which limits how often somebody may guess the old one.
    path("admin/password_change/", RedirectView.as_view(pattern_name="account")),
    path("admin/", admin.site.urls),
    path("", include("chat.urls")),
    path("", include("graphs.urls")),
]
handler400 = error_pages.bad_request
handler403 = error_pages.forbidden
handler404 = error_pages.page_not_found
handler500 = error_pages.server_error
