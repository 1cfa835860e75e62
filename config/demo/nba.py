"""A small workflow: statistics of basketball players, nine nodes on two sheets."""

from config.demo.spec import GraphSpec, NodeSpec, SheetSpec

_MAIN = SheetSpec(
    "main",
    "main",
    nodes=(
        NodeSpec(
            "entry-form",
            "entryType",
            "Season and team",
            at=(0, 0),
            data={
                "fields": [
                    {"name": "season", "type": "number", "label": "Season", "default": 2025, "required": True},
                    {"name": "team", "type": "string", "label": "Team", "default": "", "required": False},
                ]
            },
        ),
        NodeSpec("root", "starter", "Start", at=(1, 0)),
        NodeSpec(
            "fetch-api",
            "api-call",
            "Fetch players",
            at=(2, 0),
            process="""
                const { season, team } = incoming[0].data;
                const url = new URL("https://api.balldontlie.io/v1/players");
                url.searchParams.set("season", season);
                if (team) url.searchParams.set("team", team);
                const response = await fetch(url, { headers: { Authorization: env.NBA_API_KEY } });
                if (!response.ok) {
                  return route("R-1", { error: `The NBA API answered ${response.status}`, url: String(url) });
                }
                const body = await response.json();
                return route("R-0", body.data);
            """,
            data={"method": "GET", "url": "https://api.balldontlie.io/v1/players", "timeoutMs": 10000, "retries": 0},
        ),
        NodeSpec(
            "filter-active",
            "filter",
            "Only active players",
            at=(3, -0.5),
            process="""
                const players = incoming[0].data;
                return players.filter((player) => player.active && player.games_played >= 10);
            """,
            data={"minimumGames": 10},
        ),
        NodeSpec(
            "error-handler",
            "log-node",
            "Log the failure",
            at=(3, 0.75),
            process="""
                const { error, url } = incoming[0].data;
                console.error("NBA statistics failed", { error, url });
            """,
            data={"level": "error"},
        ),
        NodeSpec(
            "display-html",
            "html",
            "Table of players",
            at=(4, -0.5),
            process="""
                const rows = incoming[0].data
                  .map((player) => `<tr><td>${escape(player.name)}</td><td>${player.points_per_game}</td></tr>`)
                  .join("");
                return `<table><thead><tr><th>Player</th><th>Points</th></tr></thead><tbody>${rows}</tbody></table>`;
            """,
        ),
        NodeSpec("return", "return", "Result", at=(5, -0.5)),
    ),
    edges=(
        "entry-form -> root: entryType",
        "root -> fetch-api",
        "fetch-api:0 -> filter-active: success",
        "fetch-api:1 -> error-handler: error",
        "filter-active -> display-html",
        "display-html -> return",
    ),
)

_DATA_PROCESSING = SheetSpec(
    "data-processing",
    "data-processing",
    nodes=(
        NodeSpec(
            "sort-stats",
            "transform",
            "Sort by points",
            at=(0, 0),
            process="""
                const players = [...incoming[0].data];
                return players.sort((a, b) => b.points_per_game - a.points_per_game);
            """,
            data={"by": "points_per_game", "order": "descending"},
        ),
        NodeSpec(
            "disconnected-note",
            "note",
            "Not connected yet",
            at=(1.5, 0),
            data={
                "text": "Sorting is ready but not wired into the main sheet. Decide whether the table should be sorted."
            },
            size=(240, 120),
        ),
    ),
    edges=(),
)

NBA = GraphSpec(
    "nba",
    "NBA statistics",
    "Fetches the players of a season from an API, keeps the active ones and shows them as a table.",
    sheets=(_MAIN, _DATA_PROCESSING),
    metadata={"tags": ["demo", "sports"]},
)
