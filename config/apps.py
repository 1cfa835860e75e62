from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Makes the commands that start and seed a site available (`up`, `seed_demo`)."""

    name = "config"
    label = "site_config"
