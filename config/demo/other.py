"""The one graph of the workspace `other`, which nobody of `demo` may see."""

from config.demo.spec import GraphSpec, NodeSpec, SheetSpec

NEWSLETTER = GraphSpec(
    "newsletter",
    "Weekly newsletter",
    "Collects the articles of the week and sends them to the subscribers.",
    sheets=(
        SheetSpec(
            "main",
            "main",
            nodes=(
                NodeSpec("every-monday", "starter", "Every Monday at 8", at=(0, 0), data={"cron": "0 8 * * 1"}),
                NodeSpec(
                    "load-articles",
                    "api-call",
                    "Load articles",
                    at=(1, 0),
                    process="""
                        const since = new Date(Date.now() - 7 * 24 * 3600 * 1000).toISOString();
                        const response = await fetch(`https://cms.example.org/api/articles?since=${since}`);
                        return response.ok ? route("R-0", await response.json()) : route("R-1", response.status);
                    """,
                ),
                NodeSpec(
                    "pick-best",
                    "filter",
                    "Most read",
                    at=(2, -0.5),
                    process="return incoming[0].data.filter((article) => article.reads > 200).slice(0, 5);",
                ),
                NodeSpec("log-failure", "log-node", "Log the failure", at=(2, 0.75), data={"level": "error"}),
                NodeSpec(
                    "compose-mail",
                    "transform",
                    "Compose the mail",
                    at=(3, -0.5),
                    process="""
                        const lines = incoming[0].data.map((article) => `* ${article.title}: ${article.url}`);
                        return { subject: "This week", text: `Hello,\\n\\n${lines.join("\\n")}` };
                    """,
                ),
                NodeSpec("sent", "return", "Sent", at=(4, -0.5)),
            ),
            edges=(
                "every-monday -> load-articles",
                "load-articles:0 -> pick-best: success",
                "load-articles:1 -> log-failure: error",
                "pick-best -> compose-mail",
                "compose-mail -> sent",
            ),
        ),
    ),
)
