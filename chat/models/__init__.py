"""The tables of the conversation."""

from chat.models.conversation import Message, Session, SessionType
from chat.models.idempotency import IdempotencyKey
from chat.models.proposals import Allowance, Proposal, ProposalStatus, ValidationRule
from chat.models.requests import RequestEntry, SentRequest
from chat.models.runs import Process, Run, RunStatus
from chat.models.streams import Presence, Stream, StreamEvent
from chat.models.usage import ModelCall

__all__ = [
    "Allowance",
    "IdempotencyKey",
    "Message",
    "ModelCall",
    "Presence",
    "Process",
    "Proposal",
    "ProposalStatus",
    "RequestEntry",
    "Run",
    "RunStatus",
    "SentRequest",
    "Session",
    "SessionType",
    "Stream",
    "StreamEvent",
    "ValidationRule",
]
