"""Words that say nothing about which nodes a question means: English, French, and what everything here is called."""

_ENGLISH = """
a about above after all also am an and any are as at be because been before being below between both but by
can could describe did do does doing done down during each explain few find for from further get give had
happen happens has have having he her here him his how i if in into is it its just let like list many me more
most much my no nor not now of off on once only or other our out over please same she should show so some such
tell than that the their them then there these they this those through to too under until up use used uses
using very was we were what when where which while who whom why will with would you your
"""
_FRENCH = """
ai ait alors après arrive au aucun aussi autre autres aux avant avec avoir c ce cela celle celles celui ces
cet cette ceux chaque chez combien comme comment d dans de depuis des dis dit doit donc donne dont du elle
elles en encore entre es est et été être eu eux explique fais fait faire faut il ils j je jusqu l la laquelle
le lequel les lesquels leur leurs lors lui m ma mais me mes moi moins mon montre même n ne ni nos notre nous
on ont ou où par parce parmi pas pendant peu peut peux plus plusieurs pour pourquoi puis qu quand que quel
quelle quelles quels quelqu qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout
toute toutes trouve trouver tu un une utilise utiliser va vers via voici voilà vos votre vous y à
"""
_OURS = """
node nodes edge edges graph graphs workflow workflows step steps sheet sheets noeud noeuds nœud nœuds lien
liens graphe graphes étape étapes feuille feuilles
"""

STOP_WORDS = frozenset(f"{_ENGLISH} {_FRENCH} {_OURS}".split())
