"""`{% markdown_script %}`: lets a page show `<markdown-text>` as conversations show their texts."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def markdown_script() -> SafeString:
    """The script that registers the element. Until it runs, and without it, the text stands as it was written."""
    return format_html('<script type="module" src="{}"></script>', static("chat/markdown-text.js"))
