"""The sheet that takes an order and ships it."""

from config.demo.spec import NodeSpec, SheetSpec

ORDERS = SheetSpec(
    "orders",
    "Orders",
    nodes=(
        NodeSpec(
            "order-received", "starter", "Order received", at=(0, 0), data={"webhook": "/hooks/shop/order-created"}
        ),
        NodeSpec(
            "validate-order",
            "filter",
            "Is the order complete?",
            at=(1, 0),
            process="""
                const order = incoming[0].data;
                const complete = order.lines.length > 0 && order.email && order.shipping_address;
                return route(complete ? "R-0" : "R-1", order);
            """,
            outputs=("complete", "incomplete"),
        ),
        NodeSpec(
            "ask-for-details",
            "api-call",
            "Ask the customer for details",
            at=(2, 2),
            process="""
                const order = incoming[0].data;
                return post("https://mail.example.org/v1/send", { template: "order-incomplete", order });
            """,
            data={"template": "order-incomplete"},
        ),
        NodeSpec("log-incomplete", "log-node", "Log the incomplete order", at=(3, 2), data={"level": "warning"}),
        NodeSpec(
            "load-customer",
            "api-call",
            "Load the customer",
            at=(2, 0),
            process="""
                const { email } = incoming[0].data;
                const response = await fetch(`https://crm.example.org/customers?email=${encodeURIComponent(email)}`);
                return response.ok ? route("R-0", await response.json()) : route("R-1", { email });
            """,
            data={"timeoutMs": 5000, "retries": 2},
        ),
        NodeSpec(
            "create-customer",
            "api-call",
            "Create the customer",
            at=(3, 1),
            process="""
                const { email } = incoming[0].data;
                return post("https://crm.example.org/customers", { email, source: "web shop" });
            """,
        ),
        NodeSpec(
            "score-fraud",
            "api-call",
            "Score the risk of fraud",
            at=(4, 0),
            process="""
                const { order, customer } = merge(incoming);
                const answer = await post("https://risk.example.org/v2/score", {
                  amount: order.total,
                  country: order.shipping_address.country,
                  first_order: customer.orders === 0,
                });
                return answer.ok ? route("R-0", { ...order, risk: answer.score }) : route("R-1", order);
            """,
            data={"timeoutMs": 3000},
        ),
        NodeSpec(
            "risk-low",
            "filter",
            "Is the risk low?",
            at=(5, 0),
            process='const order = incoming[0].data;\nreturn route(order.risk < 70 ? "R-0" : "R-1", order);',
            data={"threshold": 70},
            outputs=("low", "high"),
        ),
        NodeSpec(
            "manual-review",
            "html",
            "Manual review",
            at=(6, 1.5),
            process="""
                const order = incoming[0].data;
                return `<h1>Order ${order.number}</h1><p>Risk ${order.risk} of 100</p>
                        <button value="accept">Accept</button> <button value="refuse">Refuse</button>`;
            """,
        ),
        NodeSpec(
            "review-accepted",
            "filter",
            "Accepted by a person?",
            at=(7, 1.5),
            process='return route(incoming[0].data.answer === "accept" ? "R-0" : "R-1", incoming[0].data.order);',
            outputs=("accepted", "refused"),
        ),
        NodeSpec(
            "cancel-order",
            "api-call",
            "Cancel the order",
            at=(8, 2.5),
            process="""
                const { number } = incoming[0].data;
                return post(`https://shop.example.org/api/orders/${number}/cancel`, { reason: "risk" });
            """,
        ),
        NodeSpec("order-cancelled", "return", "Order cancelled", at=(9, 2.5)),
        NodeSpec(
            "check-stock",
            "api-call",
            "Check the stock",
            at=(6, 0),
            process="""
                const order = incoming[0].data;
                const skus = order.lines.map((line) => line.sku);
                const response = await post("https://warehouse.example.org/stock/query", { skus });
                return response.ok ? route("R-0", { order, stock: response.items }) : route("R-1", order);
            """,
        ),
        NodeSpec(
            "split-backorders",
            "transform",
            "Split off what is not in stock",
            at=(7, 0),
            process="""
                const { order, stock } = incoming[0].data;
                const available = order.lines.filter((line) => stock[line.sku] >= line.quantity);
                const missing = order.lines.filter((line) => !available.includes(line));
                return { order: { ...order, lines: available }, backorder: missing };
            """,
        ),
        NodeSpec(
            "reserve-items",
            "api-call",
            "Reserve the items",
            at=(8, 0),
            process='return post("https://warehouse.example.org/holds", { lines: incoming[0].data.order.lines });',
            data={"holdHours": 48},
        ),
        NodeSpec(
            "book-carrier",
            "api-call",
            "Book the carrier",
            at=(9, 0),
            process="""
                const { order } = incoming[0].data;
                const carrier = order.weight > 30 ? "freight" : "parcel";
                return post(`https://shipping.example.org/${carrier}/bookings`, {
                  to: order.shipping_address,
                  weight: order.weight,
                });
            """,
            data={"carriers": ["parcel", "freight"]},
        ),
        NodeSpec(
            "send-tracking",
            "api-call",
            "Send the tracking number",
            at=(10, 0),
            process="""
                const { order, booking } = incoming[0].data;
                return post("https://mail.example.org/v1/send", {
                  template: "order-shipped",
                  to: order.email,
                  tracking: booking.tracking_number,
                });
            """,
            data={"template": "order-shipped"},
        ),
        NodeSpec("order-shipped", "return", "Order shipped", at=(11, 0)),
        NodeSpec("log-order-error", "log-node", "Log the failed call", at=(9, 1), data={"level": "error"}),
        NodeSpec(
            "note-fraud",
            "note",
            "About the threshold",
            at=(5, -1.2),
            data={
                "text": "70 was chosen in March: above it, one order in five was fraud. Finance wants to see 75 tried."
            },
            size=(240, 110),
        ),
        NodeSpec(
            "note-backorders",
            "note",
            "Backorders",
            at=(7, -1.2),
            data={
                "text": "What is split off here is reordered by the warehouse every night. Nobody tells the customer."
            },
            size=(240, 110),
        ),
    ),
    edges=(
        "order-received -> validate-order",
        "validate-order:0 -> load-customer: complete",
        "validate-order:1 -> ask-for-details: incomplete",
        "ask-for-details:0 -> log-incomplete: success",
        "load-customer:0 -> score-fraud: success",
        "load-customer:1 -> create-customer: error",
        "create-customer:0 -> score-fraud: success",
        "score-fraud:0 -> risk-low: success",
        "score-fraud:1 -> manual-review: error",
        "risk-low:0 -> check-stock: low",
        "risk-low:1 -> manual-review: high",
        "manual-review -> review-accepted",
        "review-accepted:0 -> check-stock: accepted",
        "review-accepted:1 -> cancel-order: refused",
        "cancel-order:0 -> order-cancelled: success",
        "check-stock:0 -> split-backorders: success",
        "check-stock:1 -> log-order-error: error",
        "split-backorders -> reserve-items",
        "reserve-items:0 -> book-carrier: success",
        "reserve-items:1 -> log-order-error: error",
        "book-carrier:0 -> send-tracking: success",
        "book-carrier:1 -> log-order-error: error",
        "send-tracking:0 -> order-shipped: success",
    ),
)
