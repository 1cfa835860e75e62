"""Collects the texts to translate, as Django does; those of scripts are marked by `t("...")` of `graphs/strings.js`."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=t"]
