import pytest
from playwright.sync_api import Page

from tests.graphs import drawn

pytestmark = pytest.mark.browser
#: As a view does that is kept a while after it was moved, and a page that leaves something to the next one.
KEEPS = """() => {
    const keep = () => sessionStorage.setItem('late', 'yes');
    addEventListener('pagehide', keep);
    setInterval(keep, 1);
    keep();
}"""


@pytest.mark.parametrize("test", ["one", "another"])
def test_a_page_knows_nothing_that_the_test_before_kept_as_it_ended(page: Page, test: str) -> None:
    with drawn.served() as site:
        page.goto(site.url)
        assert page.evaluate("sessionStorage.getItem('late')") is None, test
        page.evaluate(KEEPS)
        assert page.evaluate("sessionStorage.getItem('late')") == "yes"
