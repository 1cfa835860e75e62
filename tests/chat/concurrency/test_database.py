import asyncio

from django.utils import translation

from chat.concurrency.database import in_db


def test_it_speaks_the_language_of_its_caller() -> None:
    async def languages() -> list[str | None]:
        translation.activate("fr")
        spoken = [await in_db(translation.get_language)]
        translation.activate("en")
        return [*spoken, await in_db(translation.get_language)]

    assert asyncio.run(languages()) == ["fr", "en"]


def test_it_leaves_no_language_behind_in_its_threads() -> None:
    async def languages() -> set[str | None]:
        await asyncio.gather(*(in_db(translation.activate, "fr") for _ in range(32)))
        return {await in_db(translation.get_language) for _ in range(32)}

    assert asyncio.run(languages()) == {"en"}
