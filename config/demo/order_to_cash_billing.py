"""The sheet that writes invoices and collects the money."""

from config.demo.spec import NodeSpec, SheetSpec

BILLING = SheetSpec(
    "billing",
    "Billing",
    nodes=(
        NodeSpec("every-night", "starter", "Every night at 2", at=(0, 0), data={"cron": "0 2 * * *"}),
        NodeSpec(
            "load-shipped-orders",
            "api-call",
            "Load the shipped orders",
            at=(1, 0),
            process="""
                const response = await fetch("https://shop.example.org/api/orders?status=shipped&invoiced=false");
                return response.ok ? route("R-0", await response.json()) : route("R-1", { status: response.status });
            """,
            data={"pageSize": 200},
        ),
        NodeSpec(
            "compute-tax",
            "transform",
            "Compute the tax",
            at=(2, 0),
            process="""
                const rates = { FR: 0.2, DE: 0.19, IT: 0.22, ES: 0.21 };
                return incoming[0].data.map((order) => {
                  const rate = rates[order.billing_address.country] ?? 0;
                  return { ...order, tax: Math.round(order.net_total * rate * 100) / 100 };
                });
            """,
            data={"rates": {"FR": 0.2, "DE": 0.19, "IT": 0.22, "ES": 0.21}},
        ),
        NodeSpec(
            "apply-discounts",
            "transform",
            "Apply the discounts",
            at=(3, 0),
            process="""
                return incoming[0].data.map((order) => ({
                  ...order,
                  discount: order.customer.tier === "gold" ? order.net_total * 0.05 : 0,
                }));
            """,
            data={"gold": 0.05},
        ),
        NodeSpec(
            "number-invoice",
            "api-call",
            "Take an invoice number",
            at=(4, 0),
            process='return post("https://books.example.org/numbers/next", { count: incoming[0].data.length });',
            data={"series": "WEB"},
        ),
        NodeSpec(
            "render-invoice",
            "html",
            "Render the invoice",
            at=(5, 0),
            process="""
                const { invoice } = incoming[0].data;
                return `<h1>Invoice ${invoice.number}</h1><p>${escape(invoice.customer.name)}</p>
                        <p>Total ${invoice.gross_total} EUR, of which tax ${invoice.tax} EUR</p>`;
            """,
        ),
        NodeSpec(
            "send-invoice",
            "api-call",
            "Send the invoice",
            at=(6, 0),
            process='return post("https://mail.example.org/v1/send", { template: "invoice", ...incoming[0].data });',
            data={"template": "invoice"},
        ),
        NodeSpec(
            "charge-card",
            "api-call",
            "Charge the card",
            at=(7, 0),
            process="""
                const { invoice } = incoming[0].data;
                const charge = await post("https://payments.example.org/v1/charges", {
                  amount: Math.round(invoice.gross_total * 100),
                  currency: "eur",
                  customer: invoice.customer.payment_id,
                  idempotency_key: invoice.number,
                });
                return route(charge.status === "succeeded" ? "R-0" : "R-1", { invoice, charge });
            """,
            data={"currency": "eur"},
        ),
        NodeSpec("book-payment", "api-call", "Book the payment", at=(8, -0.5), data={"account": "411000"}),
        NodeSpec("paid", "return", "Paid", at=(9, -0.5)),
        NodeSpec(
            "wait-for-transfer",
            "transform",
            "Wait for the bank transfer",
            at=(8, 0.75),
            process="return { ...incoming[0].data, due: addDays(new Date(), 14) };",
            data={"days": 14},
        ),
        NodeSpec(
            "match-bank-statement",
            "api-call",
            "Match the bank statement",
            at=(9, 0.75),
            process="""
                const { invoice } = incoming[0].data;
                const response = await fetch(`https://bank.example.org/statement?since=${invoice.date}`);
                const lines = await response.json();
                const line = lines.find((entry) => entry.reference.includes(invoice.number));
                return route(line ? "R-0" : "R-1", { invoice, line });
            """,
        ),
        NodeSpec(
            "overdue",
            "filter",
            "Is it overdue?",
            at=(10, 1.25),
            process='return route(new Date() > new Date(incoming[0].data.due) ? "R-0" : "R-1", incoming[0].data);',
            outputs=("overdue", "not yet"),
        ),
        NodeSpec(
            "send-reminder",
            "api-call",
            "Send a reminder",
            at=(11, 0.75),
            process="""
                const { invoice, reminders = 0 } = incoming[0].data;
                const template = ["reminder-friendly", "reminder-firm", "reminder-last"][Math.min(reminders, 2)];
                return post("https://mail.example.org/v1/send", { template, to: invoice.customer.email, invoice });
            """,
            data={"templates": ["reminder-friendly", "reminder-firm", "reminder-last"]},
        ),
        NodeSpec(
            "three-reminders",
            "filter",
            "Third reminder?",
            at=(12, 0.75),
            process='return route(incoming[0].data.reminders >= 3 ? "R-0" : "R-1", incoming[0].data);',
            outputs=("yes", "no"),
        ),
        NodeSpec("hand-to-collection", "api-call", "Hand over to debt collection", at=(13, 0.25)),
        NodeSpec("in-collection", "return", "In collection", at=(14, 0.25)),
        NodeSpec("log-billing-error", "log-node", "Log the billing error", at=(5, 1.5), data={"level": "error"}),
        NodeSpec(
            "note-tax",
            "note",
            "Missing countries",
            at=(2, -1.2),
            data={
                "text": "Countries that are not in the table get no tax at all. Accounting asked for an error instead."
            },
            size=(240, 110),
        ),
        NodeSpec(
            "note-idempotency",
            "note",
            "Never charge twice",
            at=(7, -1.7),
            data={
                "text": "The invoice number is the idempotency key: running the night job again charges nobody twice."
            },
            size=(240, 110),
        ),
    ),
    edges=(
        "every-night -> load-shipped-orders",
        "load-shipped-orders:0 -> compute-tax: success",
        "load-shipped-orders:1 -> log-billing-error: error",
        "compute-tax -> apply-discounts",
        "apply-discounts -> number-invoice",
        "number-invoice:0 -> render-invoice: success",
        "number-invoice:1 -> log-billing-error: error",
        "render-invoice -> send-invoice",
        "send-invoice:0 -> charge-card: success",
        "send-invoice:1 -> log-billing-error: error",
        "charge-card:0 -> book-payment: success",
        "charge-card:1 -> wait-for-transfer: error",
        "book-payment:0 -> paid: success",
        "wait-for-transfer -> match-bank-statement",
        "match-bank-statement:0 -> book-payment: success",
        "match-bank-statement:1 -> overdue: error",
        "overdue:0 -> send-reminder: overdue",
        "overdue:1 -> wait-for-transfer: not yet",
        "send-reminder:0 -> three-reminders: success",
        "three-reminders:0 -> hand-to-collection: yes",
        "three-reminders:1 -> wait-for-transfer: no",
        "hand-to-collection:0 -> in-collection: success",
    ),
)
