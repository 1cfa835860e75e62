"""Addresses of the pages of graphs and of signing in."""

from django.urls import path

from graphs import account, matrix_page, object_pages, record_lists, record_pages, views
from graphs.site import url_keys

url_keys.register()

urlpatterns = [
    path("", views.home, name="home"),
    path("accounts/login/", views.LoginPage.as_view(), name="login"),
    path("accounts/logout/", account.SignOut.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/password/", account.change_password, name="change-password"),
    path("account/sign-ins/end-others/", account.end_other_sign_ins, name="end-other-sign-ins"),
    path("account/sign-ins/<key:sign_in>/end/", account.end_sign_in, name="end-sign-in"),
    path("import/", views.import_graph, name="import"),
    path("objects/<key:kind>/import/", object_pages.import_objects, name="import-objects"),
    path("graphs/<key:key>/", views.graph_detail, name="graph"),
    path("companies/<uuid:company>/", record_pages.company, name="company"),
    path("folders/<uuid:folder>/", record_pages.folder, name="folder"),
    path("folders/<uuid:folder>/matrix/", matrix_page.matrix, name="folder-matrix"),
    path("use-cases/<uuid:usecase>/", record_pages.use_case, name="use-case"),
    path("companies/", record_lists.record_list, {"kind": "company"}, name="companies"),
    path("companies/new/", record_lists.new_record, {"kind": "company"}, name="new-company"),
    path("companies/status/", record_lists.change_status, {"kind": "company"}, name="company-status"),
    path("folders/", record_lists.record_list, {"kind": "folder"}, name="folders"),
    path("folders/new/", record_lists.new_record, {"kind": "folder"}, name="new-folder"),
    path("folders/status/", record_lists.change_status, {"kind": "folder"}, name="folder-status"),
    path("use-cases/", record_lists.record_list, {"kind": "usecase"}, name="use-cases"),
    path("use-cases/new/", record_lists.new_record, {"kind": "usecase"}, name="new-use-case"),
    path("use-cases/status/", record_lists.change_status, {"kind": "usecase"}, name="use-case-status"),
    path("graphs/<key:key>/trust/", views.trust_graph, name="trust-graph"),
    path("node-types/<key:node_type>/", views.node_type_detail, name="node-type"),
    path("node-types/<key:node_type>/trust/", views.trust_node_type, name="trust-node-type"),
]
