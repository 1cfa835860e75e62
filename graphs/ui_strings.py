"""What the scripts of this app say. The template tag `ui_strings` hands the translations to `strings.js`."""

from django.utils.translation import gettext_noop as _

STRINGS = [
    # import.js
    _("Uploading: {percent} %"),
    _("Reading the file …"),
    _("The server cannot be reached. Check the connection and try again."),
    # page.js
    _("Theme: as the system"),
    _("Theme: light"),
    _("Theme: dark"),
]
