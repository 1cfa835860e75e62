"""The sheet that answers customers."""

from config.demo.spec import NodeSpec, SheetSpec

SUPPORT = SheetSpec(
    "support",
    "Customer support",
    nodes=(
        NodeSpec(
            "complaint-form",
            "entryType",
            "Complaint form",
            at=(0, 0),
            data={
                "fields": [
                    {"name": "orderNumber", "type": "string", "label": "Order number", "required": True},
                    {"name": "message", "type": "text", "label": "What is wrong?", "required": True},
                    {"name": "photo", "type": "file", "label": "Photo", "required": False},
                ]
            },
        ),
        NodeSpec("complaint-received", "starter", "Complaint received", at=(1, 0)),
        NodeSpec(
            "find-order",
            "api-call",
            "Find the order",
            at=(2, 0),
            process="""
                const { orderNumber } = incoming[0].data;
                const response = await fetch(`https://shop.example.org/api/orders/${orderNumber}`);
                return response.ok ? route("R-0", await response.json()) : route("R-1", { orderNumber });
            """,
        ),
        NodeSpec(
            "order-unknown",
            "api-call",
            "Answer: order unknown",
            at=(3, 1.5),
            process='return post("https://mail.example.org/v1/send", { template: "unknown", ...incoming[0].data });',
            data={"template": "unknown"},
        ),
        NodeSpec(
            "classify-complaint",
            "transform",
            "Classify the complaint",
            at=(3, 0),
            process="""
                const text = incoming[0].data.message.toLowerCase();
                const kinds = { damaged: /broken|damage|cassé/, late: /late|where is|retard/, wrong: /wrong|erreur/ };
                const kind = Object.keys(kinds).find((name) => kinds[name].test(text)) ?? "other";
                return { ...incoming[0].data, kind };
            """,
            data={"kinds": ["damaged", "late", "wrong", "other"]},
        ),
        NodeSpec(
            "route-by-kind",
            "filter",
            "What kind is it?",
            at=(4, 0),
            process="""
                const exits = { damaged: "R-0", wrong: "R-0", late: "R-1", other: "R-2" };
                return route(exits[incoming[0].data.kind], incoming[0].data);
            """,
            outputs=("damaged or wrong", "late", "other"),
        ),
        NodeSpec(
            "within-return-period",
            "filter",
            "Within 30 days?",
            at=(5, -1),
            process="""
                const days = (Date.now() - new Date(incoming[0].data.order.shipped_at)) / 86400000;
                return route(days <= 30 ? "R-0" : "R-1", incoming[0].data);
            """,
            data={"days": 30},
            outputs=("yes", "no"),
        ),
        NodeSpec(
            "create-return-label",
            "api-call",
            "Create the return label",
            at=(6, -1.5),
            process='return post("https://shipping.example.org/returns", { order: incoming[0].data.order.number });',
        ),
        NodeSpec(
            "refund-payment",
            "api-call",
            "Refund the payment",
            at=(7, -1.5),
            process="""
                const { order } = incoming[0].data;
                return post("https://payments.example.org/v1/refunds", {
                  charge: order.charge_id,
                  amount: order.total,
                  reason: incoming[0].data.kind,
                });
            """,
            data={"maximum": 500},
        ),
        NodeSpec("offer-voucher", "api-call", "Offer a voucher", at=(6, -0.5), data={"value": 10, "currency": "eur"}),
        NodeSpec(
            "track-parcel",
            "api-call",
            "Track the parcel",
            at=(5, 0.25),
            process="""
                const { tracking } = incoming[0].data.order;
                const response = await fetch(`https://shipping.example.org/tracking/${tracking}`);
                return response.ok ? route("R-0", await response.json()) : route("R-1", incoming[0].data);
            """,
        ),
        NodeSpec(
            "open-ticket",
            "api-call",
            "Open a ticket",
            at=(6, 1),
            process='return post("https://desk.example.org/tickets", { subject: "Complaint", ...incoming[0].data });',
            data={"queue": "customer-care"},
        ),
        NodeSpec(
            "write-answer",
            "html",
            "Write the answer",
            at=(8, -0.5),
            process="""
                const { customer, kind, outcome } = incoming[0].data;
                return `<p>Dear ${escape(customer.name)},</p><p>${TEXTS[kind][outcome]}</p>`;
            """,
        ),
        NodeSpec(
            "send-answer",
            "api-call",
            "Send the answer",
            at=(9, -0.5),
            process='return post("https://mail.example.org/v1/send", { template: "answer", ...incoming[0].data });',
            data={"template": "answer"},
        ),
        NodeSpec("complaint-answered", "return", "Complaint answered", at=(10, -0.5)),
        NodeSpec("log-support-error", "log-node", "Log the failed call", at=(8, 1), data={"level": "error"}),
        NodeSpec(
            "satisfaction-survey",
            "api-call",
            "Send the survey",
            at=(10, 0.5),
            process='return post("https://survey.example.org/invitations", { to: incoming[0].data.customer.email });',
            data={"delayDays": 3},
        ),
        NodeSpec(
            "note-refunds",
            "note",
            "Refund limit",
            at=(7, -2.7),
            data={"text": "Refunds above 500 EUR need the approval of the team lead; this is not built yet."},
            size=(240, 110),
        ),
        NodeSpec(
            "note-languages",
            "note",
            "Languages",
            at=(3, -1.2),
            data={"text": "The words are English and French only. Messages in other languages end in the kind other."},
            size=(240, 110),
        ),
    ),
    edges=(
        "complaint-form -> complaint-received: entryType",
        "complaint-received -> find-order",
        "find-order:0 -> classify-complaint: success",
        "find-order:1 -> order-unknown: error",
        "classify-complaint -> route-by-kind",
        "route-by-kind:0 -> within-return-period: damaged or wrong",
        "route-by-kind:1 -> track-parcel: late",
        "route-by-kind:2 -> open-ticket: other",
        "within-return-period:0 -> create-return-label: yes",
        "within-return-period:1 -> offer-voucher: no",
        "create-return-label:0 -> refund-payment: success",
        "create-return-label:1 -> log-support-error: error",
        "refund-payment:0 -> write-answer: success",
        "refund-payment:1 -> open-ticket: error",
        "offer-voucher:0 -> write-answer: success",
        "track-parcel:0 -> write-answer: success",
        "track-parcel:1 -> open-ticket: error",
        "open-ticket:1 -> log-support-error: error",
        "write-answer -> send-answer",
        "send-answer:0 -> complaint-answered: success",
        "send-answer:0 -> satisfaction-survey: success",
        "send-answer:1 -> log-support-error: error",
    ),
)
