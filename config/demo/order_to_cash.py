"""A workflow as a shop would have it: from the order to the money, and the complaints. Sixty nodes on three sheets."""

from config.demo.order_to_cash_billing import BILLING
from config.demo.order_to_cash_orders import ORDERS
from config.demo.order_to_cash_support import SUPPORT
from config.demo.spec import GraphSpec

ORDER_TO_CASH = GraphSpec(
    "order-to-cash",
    "Order to cash",
    "Takes an order from the web shop, checks it, ships it, writes the invoice, collects the money "
    "and answers customers who write in.",
    sheets=(ORDERS, BILLING, SUPPORT),
    metadata={"tags": ["demo", "commerce"], "owner": "operations"},
)
