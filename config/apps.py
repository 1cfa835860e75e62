from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Makes the commands that start, seed and translate a site available (`up`, `seed_demo`, `makemessages`)."""

    name = "config"
    label = "site_config"
