from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Makes the commands that start, seed and translate a site available (`up`, `seed_demo`, `makemessages`)."""

    name = "config"
    label = "site_config"

    def ready(self) -> None:
        """Makes the application known to the tasks that its processes call."""
        from config import celery  # noqa: F401
