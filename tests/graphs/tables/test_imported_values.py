"""What the cells of a file are taken for: parents, choices, lists, and what is wrong with them."""

import uuid

import pytest
from django.test import Client

from graphs.models import Company, Folder, UseCase, Workspace
from tests.graphs.api.callers import problem
from tests.graphs.tables.files import exported, preview, send
from tests.shop.models import Product, Shop


def test_a_parent_is_named_by_its_title(client: Client, shop: Shop) -> None:
    answer = send(client, f"parent,name\nSports,Net\n{shop.pk},Bat\n Sports ,Cap\n")
    assert answer.status_code == 201, answer.content
    assert set(Product.objects.values_list("name", "shop")) == {("Net", shop.pk), ("Bat", shop.pk), ("Cap", shop.pk)}
    net = Product.objects.get(name="Net")
    assert preview(client, f"id,parent,name\n{net.pk},Sports,Net\n")["unchanged"] == 1


def test_a_title_of_several_names_none_and_tells_their_keys(client: Client, shop: Shop) -> None:
    other = Shop.objects.create(workspace=shop.workspace, name="Sports")
    (error,) = preview(client, "Shop,name\nSports,Net\n")["errors"]
    assert (error["code"], error["column"], error["head"]) == ("parent_unclear", "parent", "Shop")
    assert error["message"] == f"Several are called “Sports”. Write the id of one of them: {shop.pk}, {other.pk}."


def test_a_title_that_one_may_not_see_is_like_one_that_nothing_has(
    client: Client, shop: Shop, other_workspace: Workspace
) -> None:
    Shop.objects.create(workspace=other_workspace, name="Theirs")
    foreign, absent = (preview(client, f"parent,name\n{title},Net\n")["errors"] for title in ("Theirs", "Nowhere"))
    assert foreign == absent
    assert [each["code"] for each in absent] == ["no_parent"]
    Shop.objects.create(workspace=other_workspace, name="Sports")
    assert preview(client, "parent,name\nSports,Net\n")["errors"] == []


@pytest.mark.parametrize("text", ["ready", "Ready", "READY", " ready "])
def test_a_choice_is_named_as_the_page_shows_it(client: Client, text: str) -> None:
    assert send(client, f"name,status\nNorthwind,{text}\n", "company").status_code == 201
    assert Company.objects.get(name="Northwind").status == "ready"


@pytest.mark.parametrize("text", ["Prêt", "prêt", "Ready", "ready"])
def test_a_choice_is_named_in_the_readers_language_too(client: Client, text: str) -> None:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "fr"
    assert send(client, f"name,status\nNorthwind,{text}\n", "company").status_code == 201
    assert Company.objects.get(name="Northwind").status == "ready"


def test_what_is_no_choice_is_told_the_choices(client: Client) -> None:
    (error,) = preview(client, "name,Status\nNorthwind,Done\n", "company")["errors"]
    assert (error["column"], error["head"]) == ("status", "Status")
    assert error["message"] == "This is none of: draft, ready, archived."
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "fr"
    (error,) = preview(client, "name,status\nNorthwind,Prêt-à-porter\n", "company")["errors"]
    assert "prêt (ready)" in error["message"]


def test_what_is_wrong_within_a_column_is_told_of_the_column(client: Client) -> None:
    file = 'Name,Value scores\nSlots,"[{""axisId"": ""a"", ""rating"": 9}]"\n'
    (error,) = preview(client, file, "usecase")["errors"]
    assert (error["row"], error["column"], error["head"]) == (2, "data.valueScores", "Value scores")
    assert error["message"].startswith("0.rating: ")


def test_what_is_only_set_by_itself_is_no_choice_for_files(client: Client) -> None:
    (error,) = preview(client, "name,status\nNorthwind,Generating\n", "company")["errors"]
    assert (error["column"], error["code"]) == ("status", "refused")


def test_a_row_without_a_name_has_one_error(client: Client) -> None:
    (error,) = preview(client, "Name,status\n,ready\n", "usecase")["errors"]
    assert (error["row"], error["column"], error["head"]) == (2, "data.name", "Name")


def test_a_wrong_parent_hides_no_other_error(client: Client, shop: Shop) -> None:
    told = preview(client, "Shop,Name,Price,Weight\nNowhere,Net,-1,much\n")["errors"]
    assert {(each["column"], each["head"]) for each in told} == {
        ("parent", "Shop"), ("price", "Price"), ("weight", "Weight")
    }  # fmt: skip
    assert Product.objects.count() == 0


def test_each_line_is_one_of_the_texts_where_a_field_has_texts(client: Client, demo_workspace: Workspace) -> None:
    text = '"Faster picking\nFewer errors\n\n- Less paper"'
    answer = send(client, f"data.name,data.benefits,data.problem\nPicking,{text},{text}\n", "usecase")
    assert answer.status_code == 201, answer.content
    made = UseCase.objects.get()
    assert made.data["benefits"] == ["Faster picking", "Fewer errors", "Less paper"]
    assert made.data["problem"] == "Faster picking\nFewer errors\n\n- Less paper"
    # A text of lines that is there stays what it is through a file.
    made.data["benefits"] = "One\ntwo"
    made.save()
    assert preview(client, exported(client, kind="usecase"), "usecase")["unchanged"] == 1


def test_objects_are_moved_by_a_file_of_ids_and_parents(client: Client, demo_workspace: Workspace) -> None:
    here, there = (Folder.objects.create(workspace=demo_workspace, name=name) for name in ("Here", "There"))
    moved, stays, freed = (
        UseCase.objects.create(workspace=demo_workspace, folder=here, data={"name": name}) for name in "abc"
    )
    file = f"id,parent\n{moved.pk},There\n{stays.pk},{here.pk}\n{freed.pk},\n"
    told = preview(client, file, "usecase")
    assert (told["creates"], told["updates"], told["unchanged"], told["errors"]) == (0, 2, 1, [])
    change = told["rows"][0]["changes"][0]
    assert (change["old"], change["oldTitle"], change["new"], change["newTitle"]) == (
        str(here.pk), "Here", str(there.pk), "There"
    )  # fmt: skip
    assert send(client, file, "usecase").status_code == 201
    for case, folder in ((moved, there), (stays, here), (freed, None)):
        case.refresh_from_db()
        assert case.folder == folder
    unknown = problem(send(client, f"id,parent\n{uuid.uuid4()},There\n", "usecase"), 400, "import_refused")
    assert [(error["row"], error["column"]) for error in unknown["rowErrors"]] == [(2, "data.name")]
    nothing = problem(send(client, "parent\nThere\n", "usecase"), 400, "import_refused")
    assert nothing["rowErrors"][0]["code"] == "no_fields"


def test_one_bullet_is_a_list(client: Client, shop: Shop) -> None:
    assert send(client, f"parent,name,data.problem\n{shop.pk},Net,- torn\n").status_code == 201
    assert Product.objects.get().data == {"problem": ["torn"]}


@pytest.mark.parametrize(
    ("text", "value"),
    [("2027", ["2027"]), ("- 2027", ["2027"]), ("true", ["true"]), ('["a"]', ["a"]), ("Fair 2027", "Fair 2027")],
)
def test_a_number_among_texts_is_a_list_of_one_text(client: Client, text: str, value: object) -> None:
    cell = text.replace('"', '""')
    assert send(client, f'data.name,data.references\nRoutes,"{cell}"\n', "usecase").status_code == 201
    made = UseCase.objects.get(data__name="Routes")
    assert made.data["references"] == value
    assert preview(client, exported(client, kind="usecase"), "usecase")["unchanged"] == 1


def test_a_title_that_nobody_sees_is_refused_of_any_kind(client: Client, shop: Shop) -> None:
    (error,) = preview(client, f"parent,Name\n{shop.pk},\u200b\n")["errors"]
    assert (error["column"], error["head"], error["message"]) == ("name", "Name", "a name is more than spaces")
    (error,) = preview(client, "name\n\u200b\n", "graph")["errors"]
    assert error["column"] == "name"
