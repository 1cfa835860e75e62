"""The demo's sentences, in the two languages it answers in. Called by the other demo modules."""

from chat.providers.demo_questions import Language

_HELP_EN = """I can answer questions like these, where NODE is the key or the name of a node:

- What is in this graph?
- What does NODE do?
- What happens after NODE?
- What happens when the API fails?
- Find the nodes that filter

And I can propose changes like these, which you then approve or reject:

- Rename NODE to NAME
- Add a filter after NODE
- Connect NODE to NODE
- Delete NODE
- Move NODE to the right
- Set FIELD of NODE to VALUE
- Replace "OLD" with "NEW" in NODE
- Tidy up

For free conversation, set the API key of a language model and restart."""

_HELP_FR = """Je sais répondre à des questions comme celles-ci, où NŒUD est la clé ou le nom d'un nœud :

- Qu'y a-t-il dans ce graphe ?
- Que fait NŒUD ?
- Que se passe-t-il après NŒUD ?
- Que se passe-t-il quand l'API échoue ?
- Trouve les nœuds qui filtrent

Et je sais proposer des modifications comme celles-ci, que vous approuvez ou refusez :

- Renomme NŒUD en NOM
- Ajoute un filtre après NŒUD
- Connecte NŒUD à NŒUD
- Supprime NŒUD
- Déplace NŒUD à droite
- Mets CHAMP de NŒUD à VALEUR
- Remplace « ANCIEN » par « NOUVEAU » dans NŒUD
- Réorganise

Pour une vraie conversation, donnez la clé d'API d'un modèle de langage et redémarrez."""

_ENGLISH = {
    "notice": "*I am the demo, not a language model: I follow fixed rules and look things up in this graph.*",
    "help": _HELP_EN,
    "thinking": "The question is about {topic}. I look it up in the graph.",
    "topic": "the graph as a whole",
    "node_is": "{node}{name} is a node{type}{sheet}.",
    "of_type": " of type `{}`",
    "on_sheet": " on the sheet *{}*",
    "comes_from": "It receives from {}.",
    "comes_from_nothing": "Nothing leads to it.",
    "leads_to": "It leads to {}.",
    "leads_to_nothing": "Nothing comes after it.",
    "code": "Its code:",
    "code_begins": "Its code begins:",
    "no_code": "It has no code of its own.",
    "after": "After {node} the way goes on to {next}.",
    "after_nothing": "Nothing comes after {node}: the way ends there.",
    "further_after": "From there it goes on to {}.",
    "before": "{node} is reached from {next}.",
    "before_nothing": "Nothing comes before {node}: the way begins there.",
    "further_before": "Before that: {}.",
    "on_failure": "When {node} fails, the way goes on to {next}.",
    "failure_target": "{node}{name} is of type `{type}`.",
    "no_failure_path": "No connection of {node} is marked as an error path: if it fails, nothing takes over.",
    "normally": "When all is well it leads to {}.",
    "found_one": "I found one node for “{}”:",
    "found_many": "I found {count} nodes for “{subject}”:",
    "found_nothing": "I found no node for “{}” in this graph.",
    "maybe": "I am not sure what you ask. These nodes fit your words best:",
    "overview": "The graph {name} has {nodes} nodes and {edges} connections.",
    "sheet_line": "- sheet *{name}*: {nodes} nodes, {edges} connections",
    "types": "Its types: {}.",
    "begins": "It begins at {}.",
    "main_way": "The way from there: {}",
    "no_change": "I cannot propose changes here: that takes an editor of the workspace, on the page of a graph.",
    "which_change": "I do not know this change. Ask me for help to see the changes that I can propose.",
    "no_type": "No type of this workspace has both an entry and an exit, so I cannot put a node there.",
    "no_edge": "No connection leads from the one to the other.",
    "no_in": "Nothing can lead there: the node has no entry.",
    "no_out": "Nothing can lead on from there: the node has no exit.",
    "propose_rename": "Rename {node} to {name}.",
    "propose_replace": "Replace that text in the code of {node}.",
    "propose_set": "Set {field} of {node} to {value}.",
    "propose_move": "Move {node}.",
    "propose_delete": "Delete {node} and its connections.",
    "propose_connect": "Connect {node} to {other}.",
    "propose_disconnect": "Remove the connection between {node} and {other}.",
    "propose_before": "Add {name} before {node}.",
    "propose_after": "Add {name} after {node}.",
    "propose_arrange": "Arrange the nodes in layers.",
    "waits": "Nothing is changed yet: that waits for your decision.",
    "decided_applied": "It was approved; changes recorded: {}.",
    "decided_rejected": "It was rejected. Nothing was changed.",
    "decided_stale": "The graph has changed since I proposed it, so nothing was done. Ask me again.",
    "decided_expired": "Nobody decided in time. Nothing was changed.",
    "decided_cancelled": "You stopped before anybody decided. Nothing was changed.",
    "decided_pending": "It still waits for a decision. Nothing was changed yet.",
    "decided_refused": "That cannot be changed: {}",
    "feedback": "The reason given: {feedback}",
    "no_tools": "I have no tool at hand to look that up.",
    "no_graph": "This page is about no single workflow. These are in your workspace:",
    "open_one": "Open one and ask me there: then I look things up in it.",
    "and": "and",
}
_FRENCH = {
    "notice": "*Je suis la démo, pas un modèle de langage : des règles fixes, qui consultent ce graphe.*",
    "help": _HELP_FR,
    "thinking": "La question porte sur {topic}. Je cherche dans le graphe.",
    "topic": "le graphe entier",
    "node_is": "{node}{name} est un nœud{type}{sheet}.",
    "of_type": " de type `{}`",
    "on_sheet": " de la feuille *{}*",
    "comes_from": "Il reçoit de {}.",
    "comes_from_nothing": "Rien ne mène à lui.",
    "leads_to": "Il mène à {}.",
    "leads_to_nothing": "Rien ne vient après lui.",
    "code": "Son code :",
    "code_begins": "Son code commence ainsi :",
    "no_code": "Il n'a pas de code à lui.",
    "after": "Après {node}, le chemin continue vers {next}.",
    "after_nothing": "Rien ne vient après {node} : le chemin s'y termine.",
    "further_after": "De là, il continue vers {}.",
    "before": "On arrive à {node} depuis {next}.",
    "before_nothing": "Rien ne vient avant {node} : le chemin y commence.",
    "further_before": "Avant cela : {}.",
    "on_failure": "Quand {node} échoue, le chemin continue vers {next}.",
    "failure_target": "{node}{name} est de type `{type}`.",
    "no_failure_path": (
        "Aucune connexion de {node} n'est marquée comme chemin d'erreur : s'il échoue, rien ne prend le relais."
    ),
    "normally": "Quand tout va bien, il mène à {}.",
    "found_one": "J'ai trouvé un nœud pour « {} » :",
    "found_many": "J'ai trouvé {count} nœuds pour « {subject} » :",
    "found_nothing": "Je n'ai trouvé aucun nœud pour « {} » dans ce graphe.",
    "maybe": "Je ne suis pas sûr de la question. Ces nœuds s'approchent le plus de vos mots :",
    "overview": "Le graphe {name} compte {nodes} nœuds et {edges} connexions.",
    "sheet_line": "- feuille *{name}* : {nodes} nœuds, {edges} connexions",
    "types": "Ses types : {}.",
    "begins": "Il commence à {}.",
    "main_way": "Le chemin à partir de là : {}",
    "no_change": (
        "Je ne peux pas proposer de modifications ici : il y faut un éditeur de l'espace de travail, sur la page d'un "
        "graphe."
    ),
    "which_change": "Je ne connais pas cette modification. Demandez-moi de l'aide pour voir ce que je sais proposer.",
    "no_type": "Aucun type de cet espace de travail n'a à la fois une entrée et une sortie : pas de nœud possible ici.",
    "no_edge": "Aucune connexion ne mène de l'un à l'autre.",
    "no_in": "Rien ne peut y mener : le nœud n'a pas d'entrée.",
    "no_out": "Rien ne peut en partir : le nœud n'a pas de sortie.",
    "propose_rename": "Renommer {node} en {name}.",
    "propose_replace": "Remplacer ce texte dans le code de {node}.",
    "propose_set": "Donner à {field} de {node} la valeur {value}.",
    "propose_move": "Déplacer {node}.",
    "propose_delete": "Supprimer {node} et ses connexions.",
    "propose_connect": "Connecter {node} à {other}.",
    "propose_disconnect": "Retirer la connexion entre {node} et {other}.",
    "propose_before": "Ajouter {name} avant {node}.",
    "propose_after": "Ajouter {name} après {node}.",
    "propose_arrange": "Ranger les nœuds par couches.",
    "waits": "Rien n'est encore modifié : cela attend votre décision.",
    "decided_applied": "C'est approuvé ; modifications enregistrées : {}.",
    "decided_rejected": "C'est refusé. Rien n'a été modifié.",
    "decided_stale": "Le graphe a changé depuis ma proposition, rien n'a donc été fait. Redemandez-moi.",
    "decided_expired": "Personne n'a décidé à temps. Rien n'a été modifié.",
    "decided_cancelled": "Vous avez arrêté avant toute décision. Rien n'a été modifié.",
    "decided_pending": "Cela attend toujours une décision. Rien n'est encore modifié.",
    "decided_refused": "Cela ne peut pas être modifié : {}",
    "feedback": "La raison donnée : {feedback}",
    "no_tools": "Je n'ai pas d'outil pour chercher cela.",
    "no_graph": "Cette page ne concerne aucun workflow en particulier. Votre espace de travail contient :",
    "open_one": "Ouvrez-en un et posez-moi la question là : j'y chercherai la réponse.",
    "and": "et",
}


def phrases(language: Language) -> dict[str, str]:
    return _FRENCH if language == "fr" else _ENGLISH
