"""Writes the demo data into an empty database; does nothing in any other."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from config.demo import import_demo
from config.demo.records import LANGUAGES, Language, import_demo_records
from config.environment import Environment
from graphs.models import Membership, Role, Workspace


class Command(BaseCommand):
    help = "Creates the demo users, graphs and records (DEMO_PASSWORD) if the database has no users and no workspaces."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--language", choices=LANGUAGES, help="The language of the records, else DEMO_LANGUAGE.")

    def handle(self, *args: Any, **options: Any) -> None:
        if User.objects.exists() or Workspace.objects.exists():
            self.stdout.write("The database has users or workspaces already: no demo data needed.")
            return
        environment = Environment()
        password = environment.demo_password
        if not password:
            raise CommandError("Set DEMO_PASSWORD: the demo users need a password to log in with.")
        with transaction.atomic():
            _seed(password, options["language"] or environment.demo_language)
        self.stdout.write(
            "Demo data created: workspace demo (users demo, alice, bob; graphs nba, order-to-cash; company Northwind "
            "Logistics with two folders and twelve use cases), workspace other (user charlie; graph newsletter)."
        )


def _seed(password: str, language: Language) -> None:
    demo = Workspace.objects.create(slug="demo", name="Demo")
    other = Workspace.objects.create(slug="other", name="Other")
    users = {name: User(username=name, email=f"{name}@example.org") for name in ("demo", "alice", "bob", "charlie")}
    users["demo"].is_staff = users["demo"].is_superuser = True
    for user in users.values():
        user.set_password(password)
        user.save()
    for name, workspace, role in (
        ("demo", demo, Role.ADMIN),
        ("alice", demo, Role.EDITOR),
        ("bob", demo, Role.VIEWER),
        ("charlie", other, Role.EDITOR),
    ):
        Membership.objects.create(user=users[name], workspace=workspace, role=role)
    import_demo(demo, "nba")
    import_demo(demo, "order-to-cash")
    import_demo(other, "newsletter")
    import_demo_records(demo, language)
